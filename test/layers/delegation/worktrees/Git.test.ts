/** What heddle says in git's words. */
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Git from "../../../../src/layers/delegation/worktrees/Git.ts"
import * as LocalProcesses from "../../../../src/layers/machine/processes/LocalProcesses.ts"
import * as Repos from "../../../support/git/Repos.ts"

it.scopedLive("is never the advice to remove the lock of another process, however git was asked", () =>
  Effect.gen(function* () {
    const folder = yield* Repos.withCommit({ "a.txt": "1\n" })
    Repos.put(folder, { ".git/index.lock": "" })
    const git = Git.make(LocalProcesses.service).at({ GIT_DIR: join(folder, ".git") })
    const ended = yield* git.end({ cwd: folder }, "add", "-A")
    const failed = yield* Effect.flip(git.text({ cwd: folder }, "add", "-A"))
    for (const words of [ended.errors, failed.message])
      assert.match(words, /index\.lock': File exists\. Another git process is at work there\.$/)
  })
)
