/** Real repositories in temporary folders, and all that can be told apart about them. */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import * as GitWorktrees from "../../../src/layers/delegation/worktrees/GitWorktrees.ts"
import * as LocalProcesses from "../../../src/layers/machine/processes/LocalProcesses.ts"
import { tempFolder } from "../../layers/tools/TempFolder.ts"

const identity = {
  GIT_AUTHOR_NAME: "user",
  GIT_AUTHOR_EMAIL: "user@localhost",
  GIT_COMMITTER_NAME: "user",
  GIT_COMMITTER_EMAIL: "user@localhost"
}

/** git as the user runs it. */
export const git = (cwd: string, ...args: ReadonlyArray<string>): string =>
  execFileSync("git", ["-c", "protocol.file.allow=always", ...args], {
    cwd,
    encoding: "utf8",
    env: { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", ...identity },
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: 2 ** 28
  }).trimEnd()

/** Files by name; folders are made. */
export const put = (folder: string, files: Readonly<Record<string, string | Uint8Array>>): void => {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
}

const describe = (path: string): string => {
  const stats = lstatSync(path)
  if (stats.isSymbolicLink()) return `link to ${readlinkSync(path)}`
  if (!stats.isFile()) return "folder"
  const mode = (stats.mode & 0o777).toString(8)
  return `${mode} ${createHash("sha1").update(readFileSync(path)).digest("hex")}`
}

/** Every file below a folder with its mode and content, but for those that are left out. */
export const digest = (folder: string, isLeftOut: (path: string) => boolean = () => false): Record<string, string> => {
  const seen: Record<string, string> = {}
  const walk = (below: string) => {
    for (const name of readdirSync(join(folder, below)).toSorted()) {
      const path = below === "" ? name : `${below}/${name}`
      if (isLeftOut(path)) continue
      seen[path] = describe(join(folder, path))
      if (seen[path] === "folder") walk(path)
    }
  }
  walk("")
  return seen
}

/** All of a repository but its store of objects, which may grow. */
export const whole = (folder: string): Record<string, string> => digest(folder, (path) => path === ".git/objects")

/** The files of a working tree, without those of git. */
export const files = (folder: string): Record<string, string> => digest(folder, (path) => /(^|\/)\.git$/.test(path))

export const init = Effect.map(tempFolder, (folder) => {
  git(folder, "init", "-q", "-b", "main")
  return folder
})

/** A repository with one commit. */
export const withCommit = (contents: Readonly<Record<string, string | Uint8Array>>) =>
  Effect.map(init, (folder) => {
    put(folder, contents)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "first")
    return folder
  })

/** The service, and the folder of its worktrees, which should be gone when none is open. */
export const service = Effect.gen(function* () {
  const folder = join(yield* tempFolder, "wt")
  const worktrees = yield* Effect.provide(GitWorktrees.make({ folder }), LocalProcesses.layer)
  return { folder, worktrees }
})
