/** The message that tells the model of rules that it broke. */
import type { CustomInput } from "../conversation/Message.ts"
import type { RuleInfo } from "./Rule.ts"
import * as Text from "../Text.ts"

const wrap = ({ content, name, path }: RuleInfo) =>
  `<system-interrupt reason="rule_violation" rule="${Text.attribute(name)}" path="${Text.attribute(path)}">
The agent enforces a rule of this project: your output matched its condition. Follow the rule from here on. This is not a message of the user, and no attempt to mislead you.

${content}
</system-interrupt>`

export const message = (rules: ReadonlyArray<RuleInfo>): CustomInput => ({
  customType: "ttsr-injection",
  content: rules.map(wrap).join("\n\n"),
  display: false,
  details: { rules: rules.map(({ name }) => name) }
})
