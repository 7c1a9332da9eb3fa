/** The other twin has the same tool and the same command. */
import { type Api, said } from "../Pi.ts"

export default (pi: Api): void => {
  pi.registerTool({ name: "twin", description: "Twin b.", execute: () => said("b") })
  pi.registerCommand("twin", { description: "Twin b", handler: (_args, ctx) => ctx.ui.notify("b") })
}
