/** Tries to end the process in every way. */
const attempts: ReadonlyArray<() => unknown> = [
  () => process.exit(7),
  () => Reflect.apply(Reflect.get(process, "reallyExit"), process, [7]),
  () => process.abort(),
  () => process.kill(process.pid, "SIGKILL"),
  () => process.kill(0),
  () => process.kill(process.pid, 0)
]

export default (pi: {
  readonly on: (
    event: string,
    handler: (event: object, ctx: { readonly ui: { notify(text: string): void } }) => void
  ) => void
}): void => {
  pi.on("session_start", (_event, ctx) => {
    for (const attempt of attempts) {
      try {
        ctx.ui.notify(`went on: ${String(attempt())}`)
      } catch (error) {
        ctx.ui.notify(error instanceof Error ? error.message : "?")
      }
    }
    setTimeout(() => process.exit(8), 0)
  })
}
