import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { contains, type Package, same } from "../Package.ts"

export const toolOverride: Package = {
  source: { example: "tool-override.ts" },
  behaviours: [
    {
      title: "read .env → `Access denied…`, details.blocked: the built-in is replaced",
      check: async (session) => {
        writeFileSync(join(session.place.work, ".env"), "KEY=1\n")
        const result = await session.call("read", { path: ".env" })
        contains(result.text, 'Access denied: ".env"', "the result")
        same(result.details, { blocked: true }, "details")
      }
    },
    {
      title: "/read-log → a notice with BLOCKED",
      check: async (session) => {
        await session.handled("/read-log")
        const notice = await session.notice("Recent file access:")
        contains(String(notice["message"]), "BLOCKED", "the notice")
      }
    }
  ]
}
