/** Settings of approvals: which effects happen without a question, with one, or not at all. */
import * as Schema from "effect/Schema"
import { Mode, Unasked } from "../../domain/approvals/Modes.ts"
import { setting, texts } from "./Setting.ts"

const rules = (description: string, project: "more" | "nothing") =>
  setting(texts, description, { default: [], adds: true, project })

export const fields = {
  "approvals.mode": setting(
    Mode,
    "What becomes of an effect that no rule speaks of: it happens, the user is asked, or it does not happen (docs/approvals.md).",
    { default: "off", project: "stricter" }
  ),
  "approvals.allow": rules("Rules of what happens without a question, such as `bash(git status*)`.", "nothing"),
  "approvals.ask": rules("Rules of what the user is asked about. They come before `approvals.allow`.", "more"),
  "approvals.deny": rules("Rules of what does not happen. They come before all others.", "more"),
  "approvals.timeoutMs": setting(
    Schema.Int.pipe(Schema.between(1, 86_400_000)),
    "How long a question waits for its answer; then the effect does not happen.",
    { default: 300_000, project: "lower" }
  ),
  "approvals.unasked": setting(
    Unasked,
    "What passes without a rule in the modes `ask` and `deny`: reading in the working folder, harmless commands, too, or all that the sandbox holds.",
    { default: "reads", project: "nothing" }
  )
}
