/** Ends the process as soon as its file runs, and says when it could not. */
import type { Api } from "../Pi.ts"

const attempt = () => {
  try {
    process.exit(5)
  } catch (error) {
    return error instanceof Error ? error.name : "?"
  }
}

const atImport = attempt()

export default (pi: Api): void => {
  const inFactory = attempt()
  pi.registerCommand("left", { handler: (_args, ctx) => ctx.ui.notify(`${atImport} ${inFactory}`) })
  process.exit(6)
}
