import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Lease from "../../../../../src/layers/machine/files/own/Lease.ts"
import { tempFolder } from "../../../tools/TempFolder.ts"

const since = "2026-01-01T00:00:00.000Z"
const dead = JSON.stringify({ pid: 2 ** 22 + 1, host: hostname(), since, start: "" })
const taker = join(import.meta.dirname, "../../../../support/sessions/leaseTaker.ts")

/** A process that waits for the word, and what it said. */
const start = (file: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = Bun.spawn([process.execPath, taker, file], { stdin: "pipe", stdout: "pipe", stderr: "inherit" })
      const reader = child.stdout.getReader()
      let said = ""
      const nextLine = async (): Promise<string> => {
        while (!said.includes("\n")) {
          const { done, value } = await reader.read()
          if (done) throw new Error(`ended after ${said}`)
          said += new TextDecoder().decode(value)
        }
        const [line = "", ...rest] = said.split("\n")
        said = rest.join("\n")
        return line
      }
      const go = () => {
        child.stdin.write("go\n")
        child.stdin.flush()
      }
      return { child, go, nextLine }
    }),
    ({ child }) =>
      Effect.promise(() => {
        child.kill("SIGKILL")
        return child.exited
      })
  )

it.scopedLive(
  "of several who find the lease of a dead process at the same time one gets it, and the others are told",
  () =>
    Effect.gen(function* () {
      const file = join(yield* tempFolder, "x.jsonl")
      const all = yield* Effect.all(Array.from({ length: 5 }, () => start(file)))
      const lines = Effect.suspend(() => Effect.promise(() => Promise.all(all.map(({ nextLine }) => nextLine()))))
      yield* lines
      for (let round = 0; round < 40; round++) {
        writeFileSync(Lease.leaseOf(file), dead)
        for (const { go } of all) go()
        const said = yield* lines
        const winner = all[said.indexOf("mine")]?.child.pid
        assert.deepStrictEqual(
          said.filter((line) => line !== "mine"),
          Array(4).fill(`LeaseHeld ${winner}`)
        )
        assert.strictEqual((yield* Lease.holder(file))?.pid, winner)
      }
      assert.deepStrictEqual(readdirSync(join(file, "..")), ["x.jsonl.lease"])
    })
)

it.scopedLive("the lease of a process that was killed is free", () =>
  Effect.gen(function* () {
    const file = join(yield* tempFolder, "x.jsonl")
    const { child, go, nextLine } = yield* start(file)
    yield* Effect.promise(nextLine)
    go()
    assert.strictEqual(yield* Effect.promise(nextLine), "mine")
    assert.strictEqual((yield* Effect.flip(Lease.acquire(file, since)))._tag, "LeaseHeld")
    child.kill("SIGKILL")
    yield* Effect.promise(() => child.exited)
    assert.isUndefined(yield* Lease.holder(file))
    const release = yield* Lease.acquire(file, since)
    assert.deepInclude(yield* Lease.holder(file), { pid: process.pid, host: hostname(), since })
    yield* release
    assert.deepStrictEqual(readdirSync(join(file, "..")), [])
  })
)

it.scoped("what is not ours is not removed", () =>
  Effect.gen(function* () {
    const file = join(yield* tempFolder, "x.jsonl")
    const release = yield* Lease.acquire(file, since)
    writeFileSync(Lease.leaseOf(file), "another's")
    yield* release
    assert.strictEqual(readFileSync(Lease.leaseOf(file), "utf8"), "another's")
  })
)

it.scoped("a folder that is not there is a refusal with its reason", () =>
  Effect.gen(function* () {
    const file = join(yield* tempFolder, "none/x.jsonl")
    const refused = yield* Effect.flip(Lease.acquire(file, since))
    assert.deepInclude(refused, { _tag: "FileRefused", code: "ENOENT" })
    assert.isFalse(existsSync(file))
  })
)
