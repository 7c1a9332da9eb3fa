/**
 * A process that applies patches to a repository, as the tests of processes beside each other start it: a line of JSON on stdin
 * is a patch, a line on stdout says whether it was applied.
 */
import { createInterface } from "node:readline"
import { Effect } from "effect"
import * as GitWorktrees from "../../../src/layers/delegation/worktrees/GitWorktrees.ts"
import * as LocalProcesses from "../../../src/layers/machine/processes/LocalProcesses.ts"

const [, , repository = "", folder = ""] = process.argv

const { apply } = Effect.runSync(Effect.provide(GitWorktrees.make({ folder }), LocalProcesses.layer))

console.log("ready")
for await (const line of createInterface({ input: process.stdin })) {
  const applied = await Effect.runPromise(Effect.either(apply(repository, new TextEncoder().encode(JSON.parse(line)))))
  console.log(
    applied._tag === "Right" ? "applied" : `${applied.left.reason}: ${applied.left.message.replaceAll("\n", " ")}`
  )
}
