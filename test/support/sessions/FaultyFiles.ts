/**
 * Session files with a hook at every point where something is written: before it, in the middle of it (half of the text is
 * there) and after it. What the hook does there (fail, or end the process) is the test's business.
 */
import { appendFileSync, writeFileSync } from "node:fs"
import { Effect } from "effect"
import { FileRefused, type Files, type GrowingFile, local } from "../../../src/layers/machine/files/own/OwnFiles.ts"

export type Hook = (point: string) => Effect.Effect<void, FileRefused>

const half = (text: string) => text.slice(0, Math.ceil(text.length / 2))

export const make = (hook: Hook): Files => {
  const around = <A>(name: string, effect: Effect.Effect<A, FileRefused>) =>
    hook(`before ${name}`).pipe(Effect.zipRight(effect), Effect.tap(hook(`after ${name}`)))

  /** The half stays only if the hook ends everything: else the whole is written over it. */
  const torn = (name: string, tear: () => void, mend: Effect.Effect<void, FileRefused>) =>
    Effect.zipRight(
      Effect.sync(tear),
      Effect.matchEffect(hook(`amid ${name}`), {
        onSuccess: () => mend,
        onFailure: (refused) => Effect.zipRight(mend, refused)
      })
    )

  const growing = (path: string, file: GrowingFile): GrowingFile => ({
    ...file,
    append: (text) =>
      Effect.gen(function* () {
        yield* hook("before append")
        const before = yield* local.read(path)
        yield* torn(
          "append",
          () => appendFileSync(path, half(text)),
          Effect.sync(() => writeFileSync(path, before))
        )
        yield* file.append(text)
        yield* hook("after append")
      }),
    sync: around("sync", file.sync)
  })

  return {
    ...local,
    makeFolder: (path) => around("makeFolder", local.makeFolder(path)),
    create: (path) =>
      around(
        "create",
        Effect.map(local.create(path), (file) => growing(path, file))
      ),
    open: (path, mark) => Effect.map(local.open(path, mark), (file) => growing(path, file)),
    replace: (path, text, mode) =>
      Effect.gen(function* () {
        yield* torn("replace", () => writeFileSync(`${path}.half.tmp`, half(text)), Effect.void)
        yield* around("replace", local.replace(path, text, mode))
      })
  }
}

export const refusal = (code: string) =>
  new FileRefused({ path: "session.jsonl", code, message: `${code}: injected by the test` })
