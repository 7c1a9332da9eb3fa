import { existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { contains, expect, type Package, same } from "../Package.ts"
import type { Session } from "../host/Session.ts"

const command = "rm -rf build"
const build = ({ place }: Session) => join(place.work, "build")

const askToDelete = async (session: Session, value: "Yes" | "No") => {
  mkdirSync(build(session), { recursive: true })
  const result = session.call("bash", { command })
  const dialog = await session.dialog("select")
  dialog.answer({ value })
  return { dialog, result: await result }
}

export const permissionGate: Package = {
  source: { example: "permission-gate.ts" },
  behaviours: [
    {
      title: "bash `rm -rf build` → a select dialog names the command; No → blocked, the folder stays",
      check: async (session) => {
        const { dialog, result } = await askToDelete(session, "No")
        contains(dialog.title, command, "the title of the dialog")
        same(dialog.options, ["Yes", "No"], "the list of options")
        same([result.isError, result.text], [true, "Blocked by user"], "the result")
        expect(existsSync(build(session)), "the folder is gone")
      }
    },
    {
      title: "the same, Yes → the folder is gone",
      check: async (session) => {
        const { result } = await askToDelete(session, "Yes")
        expect(!result.isError, `bash failed: ${result.text}`)
        expect(!existsSync(build(session)), "the folder is still there")
      }
    }
  ]
}
