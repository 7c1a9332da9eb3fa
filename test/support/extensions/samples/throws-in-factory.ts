/** What it registered before it failed must not stay. */
export default (pi: {
  readonly on: (event: string, handler: () => unknown) => void
  readonly registerTool: (tool: object) => void
}): void => {
  pi.on("session_start", () => undefined)
  pi.registerTool({ name: "half", execute: () => undefined })
  throw new Error("broken factory")
}
