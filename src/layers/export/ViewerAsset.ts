/** The viewer, in a module of its own so that the bundle can have it apart: only an export pays for it. */
import viewer from "./viewer.json" with { type: "json" }

export { viewer }
