/**
 * Asks the user before `bash` runs a program that can destroy work. `--ask-before git,npm` adds programs to the list.
 * A shell has ways to hide a program from this check: it stops accidents, not attacks.
 */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent"

const programs = ["dd", "kill", "mkfs", "reboot", "rm", "shred", "shutdown", "sudo"]

/** The words of a command line, each without its folder. */
const wordsOf = (command: string) =>
  command.split(/[\s;&|()<>`$"'{}]+/).map((word) => word.slice(word.lastIndexOf("/") + 1))

export default function permissionGate(pi: ExtensionAPI) {
  pi.registerFlag("ask-before", { type: "string", description: "more programs to ask about, with commas between them" })

  pi.on("tool_call", async ({ input, toolName }, ctx) => {
    if (toolName !== "bash") return
    const command = String(input["command"])
    const guarded = [...programs, ...String(pi.getFlag("ask-before") ?? "").split(",")]
    const danger = wordsOf(command).find((word) => word !== "" && guarded.includes(word))
    if (danger === undefined) return
    if (!ctx.hasUI) return { block: true, reason: `Nobody can be asked, so ${danger} is not run.` }
    // No answer, an abort and a host that has left all count as a no.
    const isAllowed = await ctx.ui.confirm(`Run ${danger}?`, command)
    return isAllowed ? undefined : { block: true, reason: `The user did not allow ${danger}.` }
  })
}
