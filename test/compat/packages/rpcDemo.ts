import { at } from "../host/Frames.ts"
import { type Package, same } from "../Package.ts"

export const rpcDemo: Package = {
  source: { example: "rpc-demo.ts" },
  behaviours: [
    {
      title: "at start → setWidget rpc-demo with two lines, setStatus `Turns: 0`",
      check: async (session) => {
        const widget = await session.shows("setWidget", (frame) => frame["widgetKey"] === "rpc-demo", "the widget")
        same(widget["widgetLines"], ["--- RPC Extension UI Demo ---", "Loaded and ready."], "the widget")
        const status = await session.shows("setStatus", (frame) => frame["statusKey"] === "rpc-demo", "the status")
        same(status["statusText"], "Turns: 0", "the status")
      }
    },
    {
      title: "/rpc-input → an input dialog; its value → a notice",
      check: async (session) => {
        const handled = session.handled("/rpc-input")
        const dialog = await session.dialog("input")
        same(dialog.title, "Enter a value", "the title of the dialog")
        dialog.answer({ value: "forty-two" })
        await session.notice("You entered: forty-two")
        await handled
      }
    },
    {
      title: "new_session → a confirm dialog; false → cancelled",
      check: async (session) => {
        const response = session.request({ type: "new_session" })
        const dialog = await session.dialog("confirm")
        same(dialog.title, "Clear session?", "the title of the dialog")
        dialog.answer({ confirmed: false })
        same(at(await response, "data", "cancelled"), true, "`cancelled` in the response")
      }
    }
  ]
}
