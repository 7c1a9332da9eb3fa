/** Written by `npm run docs`: the hash of docs/rpc.schema.json, so that `ready` need not compute it. */
export const schemaHash = "sha256:65d79bef667524c6"
