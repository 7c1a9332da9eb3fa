/** Written by `npm run docs`: the hash of docs/rpc.schema.json, so that `ready` need not compute it. */
export const schemaHash = "sha256:eb0d66eb98da9ac6"
