/** The ripgrep program that comes as an npm package for this machine (docs/decisions/0005-search-engine.md). */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

export class RipgrepFailed extends Data.TaggedError("RipgrepFailed")<{ readonly description: string }> {}

/** Where it is; undefined when the package for this platform is not installed. */
export const locate: Effect.Effect<string | undefined> = Effect.sync(() => {
  const { arch, platform } = process
  try {
    return require.resolve(`@vscode/ripgrep-${platform}-${arch}/bin/${platform === "win32" ? "rg.exe" : "rg"}`)
  } catch {
    return undefined
  }
})

const spawn = (command: ReadonlyArray<string>, cwd: string) =>
  Effect.try({
    try: () => Bun.spawn([...command], { cwd, env: {}, stdin: "ignore", stdout: "pipe", stderr: "pipe" }),
    catch: (cause) => new RipgrepFailed({ description: String(cause) })
  })

/**
 * Hands over the output piece by piece until `onOutput` answers false, which ends the program. An interrupt ends it
 * too; in either case it is gone when this returns.
 */
export const run = (
  command: ReadonlyArray<string>,
  cwd: string,
  onOutput: (chunk: Uint8Array) => boolean
): Effect.Effect<void, RipgrepFailed> =>
  Effect.acquireUseRelease(
    spawn(command, cwd),
    (child) =>
      Effect.tryPromise({
        try: async () => {
          const complaint = new Response(child.stderr).text()
          for await (const chunk of child.stdout) if (!onOutput(chunk)) return ""
          const [said, code] = await Promise.all([complaint, child.exited])
          return code === 0 || code === 1 ? "" : said
        },
        catch: (cause) => new RipgrepFailed({ description: String(cause) })
      }).pipe(Effect.flatMap((description) => (description === "" ? Effect.void : new RipgrepFailed({ description })))),
    (child) =>
      Effect.promise(async () => {
        child.kill("SIGKILL")
        await child.exited
      })
  )
