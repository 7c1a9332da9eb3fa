/** What an isolated worktree costs beside `git worktree add` of the same repository. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as GitWorktrees from "../src/layers/delegation/worktrees/GitWorktrees.ts"
import * as LocalProcesses from "../src/layers/machine/processes/LocalProcesses.ts"

const perFolder = 100

const git = (cwd: string, ...args: ReadonlyArray<string>) => {
  const identity = ["-c", "user.name=bench", "-c", "user.email=bench@localhost"]
  const { exitCode, stderr } = Bun.spawnSync(["git", ...identity, ...args], { cwd, stdout: "ignore" })
  if (exitCode !== 0) throw new Error(`git ${args[0]}: ${stderr.toString()}`)
}

/** A repository of so many files of 1 to 4 KB, a part of them changed, staged or new. */
export const write = (folder: string, files: number, dirty: number): void => {
  mkdirSync(folder, { recursive: true })
  git(folder, "init", "-q")
  const path = (at: number) => join(folder, `folder-${Math.floor(at / perFolder)}`, `file-${at % perFolder}.ts`)
  for (let at = 0; at < files; at += perFolder) mkdirSync(join(path(at), ".."))
  for (let at = 0; at < files; at++) writeFileSync(path(at), `export const value = ${at}\n`.repeat(40 + (at % 100)))
  git(folder, "add", ".")
  git(folder, "commit", "-q", "-m", "first")
  const step = Math.floor(files / dirty)
  for (let n = 0; n < dirty; n++) writeFileSync(`${path(n * step)}${n % 3 === 0 ? ".new" : ""}`, `changed ${n}\n`)
  git(folder, "add", "folder-0")
}

const timed = async (work: () => Promise<unknown>) => {
  const began = performance.now()
  await work()
  return performance.now() - began
}

/** Milliseconds of git alone. */
export const plain = async (repository: string, copy: string): Promise<number> => {
  const add = Bun.spawn(["git", "worktree", "add", "-q", "--detach", copy], { cwd: repository, stderr: "inherit" })
  const ms = await timed(() => add.exited)
  rmSync(copy, { recursive: true })
  git(repository, "worktree", "prune")
  return ms
}

/** Milliseconds until the worktree can be used; it is removed afterwards. */
export const isolated = async (repository: string, folder: string): Promise<number> => {
  let ms = NaN
  const open = Effect.gen(function* () {
    const worktrees = yield* GitWorktrees.make({ folder })
    const began = performance.now()
    yield* worktrees.open({ cwd: repository, id: "0-Bench" })
    ms = performance.now() - began
  })
  await Effect.runPromise(Effect.scoped(Effect.provide(open, LocalProcesses.layer)))
  return ms
}
