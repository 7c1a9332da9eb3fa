import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, type Package, same } from "../Package.ts"

export const protectedPaths: Package = {
  source: { example: "protected-paths.ts" },
  behaviours: [
    {
      title: "write .env → a warning, a tool error, no file",
      check: async (session) => {
        const result = await session.call("write", { path: ".env", content: "KEY=1\n" })
        const notice = await session.notice("Blocked write to protected path: .env")
        same(notice["notifyType"], "warning", "the type of the notice")
        same([result.isError, result.text], [true, 'Path ".env" is protected'], "the result")
        expect(!existsSync(join(session.place.work, ".env")), "the file was written")
      }
    },
    {
      title: "write ok.txt → the file, while edit of .git/config is refused",
      check: async (session) => {
        const refused = await session.call("edit", { path: ".git/config", edits: [{ oldText: "a", newText: "b" }] })
        same(refused.text, 'Path ".git/config" is protected', "the result of edit")
        const result = await session.call("write", { path: "ok.txt", content: "fine\n" })
        expect(!result.isError, `write failed: ${result.text}`)
        same(readFileSync(join(session.place.work, "ok.txt"), "utf8"), "fine\n", "the file")
      }
    }
  ]
}
