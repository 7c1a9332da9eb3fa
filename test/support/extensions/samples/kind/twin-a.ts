/** The other twin has the same tool and the same command. */
import { type Api, said } from "../Pi.ts"

export default (pi: Api): void => {
  pi.registerTool({ name: "twin", description: "Twin a.", execute: () => said("a") })
  pi.registerCommand("twin", { description: "Twin a", handler: (_args, ctx) => ctx.ui.notify("a") })
}
