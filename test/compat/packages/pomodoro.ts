import { plain } from "../host/Frames.ts"
import { contains, expect, type Package } from "../Package.ts"

export const pomodoro: Package = {
  source: { npm: "pi-pomodoro@1.2.0", entries: ["pomodoro.ts"] },
  behaviours: [
    {
      title: "get_commands → lists pomodoro",
      check: async (session) => {
        const names = await session.commands()
        expect(names.includes("pomodoro"), `the commands are ${names.join(", ") || "none"}`)
      }
    },
    {
      title: "/pomodoro start Fix auth → a notice, then setStatus ticks",
      check: async (session) => {
        await session.handled("/pomodoro start Fix auth")
        await session.notice("Timer started: 25:00 [Fix auth]")
        for (const time of ["25:00", "24:59", "24:58"]) {
          await session.shows(
            "setStatus",
            ({ statusKey, statusText }) =>
              statusKey === "pomodoro-timer" && plain(statusText).includes(`[Pomodoro Work] ${time} 📋 Fix auth`),
            `the status at ${time}`
          )
        }
      }
    },
    {
      title: "pomodoro_status → answers",
      check: async (session) => {
        const result = await session.call("pomodoro_status", {})
        expect(!result.isError, `it failed: ${result.text}`)
        contains(result.text, "Fix auth", "the result")
      }
    }
  ]
}
