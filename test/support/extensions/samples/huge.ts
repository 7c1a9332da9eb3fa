/** Ten million characters wherever a text can be given. */
const huge = "x".repeat(10_000_000)

export default (pi: {
  readonly on: (event: string, handler: () => unknown) => void
  readonly registerCommand: (name: string, command: object) => void
}): void => {
  pi.registerCommand("huge", {
    handler: () => {
      throw new Error(huge)
    }
  })
  pi.on("session_start", () => {
    throw new Error(huge)
  })
  pi.on("input", () => huge)
}
