/** The viewer, in a module of its own, so that the bundle keeps it in a separate file that only an export loads. */
import viewer from "./viewer.json" with { type: "json" }

export { viewer }
