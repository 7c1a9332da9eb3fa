/** A process that dies while it changes files of the user leaves what the next one needs to put them back. */
import { readFileSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Git from "../../../../src/layers/delegation/worktrees/Git.ts"
import * as TakeOver from "../../../../src/layers/delegation/worktrees/TakeOver.ts"
import { type Files, local } from "../../../../src/layers/machine/files/own/OwnFiles.ts"
import * as LocalProcesses from "../../../../src/layers/machine/processes/LocalProcesses.ts"
import * as Repos from "../../../support/git/Repos.ts"
import { tempFolder } from "../../tools/TempFolder.ts"

const { put } = Repos

const first = { "a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n" }

/** Files of a process that dies when it comes to this one. */
const dyingAt = (name: string): Files => ({
  ...local,
  exchange: (exchanged) =>
    exchanged.path.endsWith(name)
      ? Effect.zipRight(
          Effect.sync(() => writeFileSync(join(exchanged.root, exchanged.draft), "half")),
          Effect.die("killed")
        )
      : local.exchange(exchanged)
})

const patch = `diff --git a/b.txt b/b.txt
deleted file mode 100644
--- a/b.txt
+++ /dev/null
@@ -1 +0,0 @@
-b
diff --git a/c.txt b/c.txt
--- a/c.txt
+++ b/c.txt
@@ -1 +1 @@
-c
+C
diff --git a/new.txt b/new.txt
new file mode 100644
--- /dev/null
+++ b/new.txt
@@ -0,0 +1 @@
+new
`

/** Only the first two files of the patch are done. */
const crashed = Effect.gen(function* () {
  const root = yield* Repos.withCommit(first)
  const before = Repos.files(root)
  const scratch = yield* tempFolder
  put(scratch, { "changes.patch": patch })
  const run = Git.make(LocalProcesses.service).at({ GIT_DIR: join(root, ".git") })
  yield* Effect.exit(TakeOver.apply(run, dyingAt("new.txt"), { cwd: root }, { scratch }))
  assert.deepStrictEqual(Object.keys(Repos.files(root)), [`.heddle-${basename(scratch)}.tmp`, "a.txt", "c.txt"])
  assert.isTrue(yield* TakeOver.isUnfinished(local, scratch))
  const kept = join(scratch, "kept")
  const recover = TakeOver.recover(local, { enter: () => Effect.succeed({ git: run, config: {} }), kept, scratch })
  return { before, kept, recover, root }
})

it.scopedLive("files that were changed and removed are as they were", () =>
  Effect.gen(function* () {
    const { before, recover, root } = yield* crashed
    assert.match((yield* recover) ?? "", /These files are as they were: b\.txt, c\.txt, new\.txt$/)
    assert.deepStrictEqual(Repos.files(root), before)
    assert.strictEqual(yield* recover, undefined)
  })
)

it.scopedLive("a file that was changed since stays, and all are kept as they were", () =>
  Effect.gen(function* () {
    const { kept, recover, root } = yield* crashed
    put(root, { "c.txt": "changed since\n" })
    assert.strictEqual((yield* recover)?.split("before: ")[1], kept)
    assert.strictEqual(readFileSync(join(root, "b.txt"), "utf8"), "b\n")
    assert.strictEqual(readFileSync(join(root, "c.txt"), "utf8"), "changed since\n")
    assert.strictEqual(readFileSync(join(kept, "c.txt"), "utf8"), "c\n")
  })
)
