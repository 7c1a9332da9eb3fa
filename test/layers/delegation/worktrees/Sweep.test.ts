/** Nothing is left of a worktree: not after an interrupt, and not after a process that was killed. */
import { chmodSync, existsSync, mkdirSync, rmSync, unlinkSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Ref } from "effect"
import * as GitWorktrees from "../../../../src/layers/delegation/worktrees/GitWorktrees.ts"
import * as LocalProcesses from "../../../../src/layers/machine/processes/LocalProcesses.ts"
import { Processes } from "../../../../src/services/machine/Processes.ts"
import { tempFolder } from "../../tools/TempFolder.ts"
import * as Repos from "../../../support/git/Repos.ts"

const { git, put } = Repos

const dead = `${JSON.stringify({ pid: 2 ** 22 + 1, host: hostname(), since: "then", start: "gone" })}\n`

/** Processes of this machine, with a hook before each git call. */
const hooked = (before: (args: ReadonlyArray<string>) => Effect.Effect<void>) =>
  Layer.succeed(
    Processes,
    Processes.of({
      ...LocalProcesses.service,
      run: (program) => Effect.zipRight(before(program.command.slice(1)), LocalProcesses.service.run(program))
    })
  )

describe("an interrupt", () => {
  it.scopedLive("at any git call of a worktree's life leaves nothing, and nothing of the user's changed", () =>
    Effect.gen(function* () {
      const repo = yield* Repos.withCommit({ "a.txt": "1\n", "b.txt": "1\n" })
      put(repo, { "a.txt": "2\n", "new.txt": "3\n" })
      git(repo, "add", "a.txt")
      const folder = join(yield* tempFolder, "wt")
      const before = Repos.whole(repo)
      const life = Effect.fnUntraced(function* (stopAt: number) {
        const count = yield* Ref.make(0)
        const reached = yield* Deferred.make<void>()
        const processes = hooked(() =>
          Effect.flatMap(
            Ref.updateAndGet(count, (n) => n + 1),
            (n) => (n === stopAt ? Effect.zipRight(Deferred.succeed(reached, undefined), Effect.never) : Effect.void)
          )
        )
        const { open } = yield* Effect.provide(GitWorktrees.make({ folder }), processes)
        const work = Effect.scoped(
          Effect.gen(function* () {
            const { capture, root } = yield* open({ cwd: repo, id: "0-Work" })
            put(root, { "b.txt": "changed\n" })
            yield* capture
          })
        )
        const running = yield* Effect.fork(work)
        yield* Effect.race(Deferred.await(reached), Fiber.await(running))
        const exit = yield* Fiber.interrupt(running)
        return { isDone: Exit.isSuccess(exit), calls: yield* Ref.get(count) }
      })
      const { calls } = yield* life(0)
      for (let at = 1; at <= calls; at++) {
        const { isDone } = yield* life(at)
        assert.deepStrictEqual([at, isDone, existsSync(folder)], [at, false, false])
        assert.deepStrictEqual(Repos.whole(repo), before)
      }
      assert.isAbove(calls, 8)
    })
  )
})

describe("a failure", () => {
  it.scopedLive("of any git call leaves nothing either", () =>
    Effect.gen(function* () {
      const repo = yield* Repos.withCommit({ "a.txt": "1\n" })
      put(repo, { "a.txt": "2\n" })
      const folder = join(yield* tempFolder, "wt")
      const before = Repos.whole(repo)
      for (const failing of ["add", "write-tree", "read-tree", "for-each-ref"]) {
        const processes = Layer.succeed(
          Processes,
          Processes.of({
            ...LocalProcesses.service,
            run: (program) =>
              LocalProcesses.service.run(
                program.command[1] === failing ? { ...program, command: ["git", failing, "--no-such-option"] } : program
              )
          })
        )
        const { open } = yield* Effect.provide(GitWorktrees.make({ folder }), processes)
        const refused = yield* Effect.flip(Effect.scoped(open({ cwd: repo, id: "0-Fail" })))
        assert.include(refused.message, `git ${failing} failed`)
        assert.isFalse(existsSync(folder))
        assert.deepStrictEqual(Repos.whole(repo), before)
      }
    })
  )

  it.scopedLive("without git says so", () =>
    Effect.gen(function* () {
      const repo = yield* Repos.withCommit({ "a.txt": "1\n" })
      const processes = Layer.succeed(
        Processes,
        Processes.of({
          ...LocalProcesses.service,
          run: (program) =>
            LocalProcesses.service.run({ ...program, command: ["no-such-git", ...program.command.slice(1)] })
        })
      )
      const { check } = yield* Effect.provide(GitWorktrees.make({ folder: "/nowhere" }), processes)
      const refused = yield* Effect.flip(check(repo))
      assert.strictEqual(refused.reason, "no_git")
      assert.match(refused.message, /^git cannot be run: /)
    })
  )
})

/** A worktree as a killed process leaves it: everything is there, and the lease names a process that is gone. */
const abandoned = Effect.fnUntraced(function* (repo: string, folder: string, id: string) {
  const { open } = yield* Effect.provide(GitWorktrees.make({ folder }), LocalProcesses.layer)
  const { root } = yield* open({ cwd: repo, id })
  writeFileSync(`${root}.lease`, dead)
  return root
})

describe("the next start", () => {
  it.scopedLive("removes what killed processes have left, and leaves the rest", () =>
    Effect.gen(function* () {
      const repo = yield* Repos.withCommit({ "a.txt": "1\n" })
      const other = yield* Repos.withCommit({ "a.txt": "1\n" })
      const linked = join(yield* tempFolder, "linked")
      git(repo, "worktree", "add", "-q", linked)
      const before = Repos.whole(repo)
      const { folder, worktrees } = yield* Repos.service
      yield* Effect.scoped(
        Effect.gen(function* () {
          const gone = yield* abandoned(repo, folder, "0-Gone")
          chmodSync(join(gone, "a.txt"), 0o400)
          mkdirSync(join(gone, "closed/inside"), { recursive: true })
          chmodSync(join(gone, "closed"), 0o500)
          const torn = yield* abandoned(repo, folder, "0-Torn")
          rmSync(join(torn, ".git"), { recursive: true })
          const foreign = yield* abandoned(other, folder, "0-Foreign")
          const live = yield* worktrees.open({ cwd: repo, id: "0-Live" })
          assert.strictEqual(yield* worktrees.sweep(linked), 2)
          assert.deepStrictEqual(
            [gone, torn, `${gone}.scratch`, `${gone}.lease`, foreign, live.root].map((path) => existsSync(path)),
            [false, false, false, false, true, true]
          )
          assert.strictEqual(yield* worktrees.sweep(other), 1)
          assert.strictEqual(yield* worktrees.sweep(repo), 0)
          assert.isTrue(existsSync(join(live.root, "a.txt")))
          put(live.root, { "a.txt": "still works\n" })
          assert.deepStrictEqual((yield* live.capture).files, ["a.txt"])
        })
      )
      assert.deepStrictEqual(Repos.whole(repo), before)
    })
  )

  it.scopedLive("does nothing where there is nothing, or no repository", () =>
    Effect.gen(function* () {
      const { folder, worktrees } = yield* Repos.service
      assert.strictEqual(yield* worktrees.sweep(yield* tempFolder), 0)
      assert.strictEqual(yield* worktrees.sweep(yield* Repos.init), 0)
      assert.isFalse(existsSync(folder))
    })
  )

  it.scopedLive("is not misled by the files of a lease that is being made", () =>
    Effect.gen(function* () {
      const repo = yield* Repos.withCommit({ "a.txt": "1\n" })
      const { worktrees } = yield* Repos.service
      const { root } = yield* worktrees.open({ cwd: repo, id: "0-Live" })
      const draft = `${root}.lease.1a2b3c4d.tmp`
      writeFileSync(draft, "half")
      assert.strictEqual(yield* worktrees.sweep(repo), 0)
      assert.isTrue(existsSync(draft))
      unlinkSync(draft)
    })
  )
})
