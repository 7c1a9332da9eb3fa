/** Written by `npm run docs`: the hash of docs/rpc.schema.json, so that `ready` need not compute it. */
export const schemaHash = "sha256:765d268890b2ec78"
