/** Several processes change the files of one repository at the same time. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { dirname, join, resolve } from "node:path"
import { createInterface } from "node:readline"
import { spawn } from "node:child_process"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as Repos from "../../../support/git/Repos.ts"
import { tempFolder } from "../../tools/TempFolder.ts"
import { until } from "../../../support/host/Processes.ts"

const { put } = Repos
const script = resolve(import.meta.dirname, "../../../support/git/patcher.ts")

const lines = (changed: ReadonlyMap<number, string> = new Map()) =>
  Array.from({ length: 40 }, (_, at) => `${changed.get(at) ?? at}\n`)

/** Changes one line, with three lines around it. */
const patchOf = (at: number, text: string) =>
  [
    "diff --git a/a.txt b/a.txt",
    "--- a/a.txt",
    "+++ b/a.txt",
    `@@ -${at - 2},7 +${at - 2},7 @@`,
    ...[at - 3, at - 2, at - 1].map((line) => ` ${line}`),
    `-${at}`,
    `+${text}`,
    ...[at + 1, at + 2, at + 3].map((line) => ` ${line}`),
    ""
  ].join("\n")

/** Each has an agent folder of its own. */
const patcher = Effect.fnUntraced(function* (repository: string) {
  const folder = join(yield* tempFolder, "wt")
  const start = () => spawn(process.execPath, [script, repository, folder], { stdio: ["pipe", "pipe", "inherit"] })
  const child = yield* Effect.acquireRelease(Effect.sync(start), (child) => Effect.sync(() => child.kill("SIGKILL")))
  const said = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async () => String((await said.next()).value)
  assert.strictEqual(yield* Effect.promise(next), "ready")
  const apply = (patch: string) => {
    child.stdin.write(`${JSON.stringify(patch)}\n`)
    return next()
  }
  return { apply, child, folder }
})

it.scopedLive(
  "four processes change different lines of one file, again and again: all are applied, none is lost",
  () =>
    Effect.gen(function* () {
      const repo = yield* Repos.withCommit({ "a.txt": lines().join("") })
      const patchers = yield* Effect.all([1, 2, 3, 4].map(() => patcher(repo)))
      for (let trial = 0; trial < 25; trial++) {
        put(repo, { "a.txt": lines().join("") })
        const said = yield* Effect.promise(() =>
          Promise.all(patchers.map(({ apply }, n) => apply(patchOf(5 + n * 8, `${trial}-${n}`))))
        )
        const expected = lines(new Map(patchers.map((_, n) => [5 + n * 8, `${trial}-${n}`])))
        assert.deepStrictEqual(
          [said, readFileSync(join(repo, "a.txt"), "utf8")],
          [said.map(() => "applied"), expected.join("")]
        )
      }
      assert.deepStrictEqual(Repos.files(join(repo, ".git"))["heddle.lease"], undefined)
    }),
  60_000
)

it.scopedLive(
  "four processes change one line: one is applied, and the others are told that theirs was not",
  () =>
    Effect.gen(function* () {
      const repo = yield* Repos.withCommit({ "a.txt": lines().join("") })
      const patchers = yield* Effect.all([1, 2, 3, 4].map(() => patcher(repo)))
      for (let trial = 0; trial < 5; trial++) {
        put(repo, { "a.txt": lines().join("") })
        const said = yield* Effect.promise(() =>
          Promise.all(patchers.map(({ apply }, n) => apply(patchOf(20, `${trial}-${n}`))))
        )
        const winner = said.indexOf("applied")
        assert.strictEqual(said.filter((one) => /^conflict: .*a\.txt/.test(one)).length, 3, said.join("; "))
        assert.strictEqual(
          readFileSync(join(repo, "a.txt"), "utf8"),
          lines(new Map([[20, `${trial}-${winner}`]])).join("")
        )
      }
    }),
  60_000
)

it.scopedLive("a process that was killed has no lock, and a living one is waited for", () =>
  Effect.gen(function* () {
    const repo = yield* Repos.withCommit({ "a.txt": lines().join("") })
    const lease = join(repo, ".git/heddle.lease")
    const write = (owner: object) =>
      writeFileSync(lease, `${JSON.stringify({ host: hostname(), since: "then", ...owner })}\n`)
    const { folder, worktrees } = yield* Repos.service
    write({ pid: 2 ** 22 + 1, start: "gone" })
    yield* worktrees.apply(repo, new TextEncoder().encode(patchOf(5, "first")))
    assert.isFalse(existsSync(lease))
    const other = yield* patcher(repo)
    write({ pid: other.child.pid, start: "" })
    const before = readFileSync(join(repo, "a.txt"))
    const waiting = yield* Effect.fork(worktrees.apply(repo, new TextEncoder().encode(patchOf(20, "second"))))
    const interrupted = yield* Effect.fork(worktrees.apply(repo, new TextEncoder().encode(patchOf(30, "third"))))
    const patches = () => [...new Bun.Glob("wt/*/*.scratch/changes.patch").scanSync(dirname(folder))]
    yield* until(patches, ({ length }) => length === 2)
    yield* Fiber.interrupt(interrupted)
    assert.deepStrictEqual(readFileSync(join(repo, "a.txt")), before)
    other.child.kill("SIGKILL")
    yield* Fiber.join(waiting)
    const expected = lines(
      new Map([
        [5, "first"],
        [20, "second"]
      ])
    ).join("")
    assert.strictEqual(readFileSync(join(repo, "a.txt"), "utf8"), expected)
    assert.isFalse(existsSync(lease))
  })
)
