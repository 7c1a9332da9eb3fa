/** `bun leaseTaker.ts <file>`: takes the lease when told to by a line on stdin, says whether it has it, and keeps it until stdin ends. */
import { writeSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Lease from "../../../src/layers/machine/files/own/Lease.ts"

const file = process.argv[2] ?? ""
writeSync(1, "ready\n")
for await (const _ of console) {
  const taken = await Effect.runPromise(Effect.either(Lease.acquire(file, "2026-01-01T00:00:00.000Z")))
  writeSync(
    1,
    taken._tag === "Right" ? "mine\n" : `${taken.left._tag} ${"owner" in taken.left ? taken.left.owner.pid : ""}\n`
  )
}
