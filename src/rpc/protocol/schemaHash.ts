/** Written by `npm run docs`: the hash of docs/rpc.schema.json, so that `ready` need not compute it. */
export const schemaHash = "sha256:dad0d9ae64e9e397"
