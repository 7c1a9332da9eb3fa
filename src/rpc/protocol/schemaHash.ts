/** Written by `npm run docs`: the hash of docs/rpc.schema.json, so that `ready` need not compute it. */
export const schemaHash = "sha256:be4c41b2ae5b2630"
