import { brief } from "../host/Frames.ts"
import { contains, expect, type Package } from "../Package.ts"

export const processes: Package = {
  // The folder of the package: its manifest names three entries and a skill.
  source: { npm: "@aliou/pi-processes@0.12.0", entries: ["."] },
  behaviours: [
    {
      title: "process start → an id proc_…; list → shows it",
      check: async (session) => {
        const started = await session.call("process", { action: "start", name: "sleeper", command: "sleep 30" })
        const id = /proc_[0-9a-f]{4}/.exec(started.text)?.[0]
        expect(id !== undefined, `no id in ${brief(started.text)}`)
        const listed = await session.call("process", { action: "list" })
        contains(listed.text, id ?? "", "the list")
        contains(listed.text, "sleeper", "the list")
      }
    },
    {
      title: "get_commands → at least four commands ps*",
      check: async (session) => {
        const names = (await session.commands()).filter((name) => name.startsWith("ps"))
        expect(names.length >= 4, `there are ${names.length}: ${names.join(", ")}`)
      }
    }
  ]
}
