/** Rules from texts in place of files: `{ "no-console": "---\ncondition: console\\.log\n---\nUse the logger." }`. */
import { Effect, Layer } from "effect"
import type { Guidance, RuleProblem, StreamRule } from "../../../src/domain/rules/Rule.ts"
import * as RuleParsing from "../../../src/domain/rules/RuleParsing.ts"
import * as FrontMatter from "../../../src/layers/workspace/skills/FrontMatter.ts"
import { Rules, type RuleSet } from "../../../src/services/session/modules/Rules.ts"

export type RuleTexts = Readonly<Record<string, string>>

export const read = (texts: RuleTexts): RuleSet => {
  const stream: Array<StreamRule> = []
  const guidance: Array<Guidance> = []
  const problems: Array<RuleProblem> = []
  for (const [name, text] of Object.entries(texts)) {
    const path = `/rules/${name}.md`
    const { body, data } = FrontMatter.parse(text)
    const parsed = RuleParsing.parse({ name, path, data, body }, (message) => problems.push({ path, message }))
    if (parsed?._tag === "Stream") stream.push(parsed.rule)
    if (parsed?._tag === "Guidance") guidance.push(parsed.guidance)
  }
  return { stream, guidance, problems }
}

export const layer = (texts: RuleTexts) => Layer.succeed(Rules, { load: Effect.sync(() => read(texts)) })

/** A rule with front matter of one line each. */
export const rule = (matter: Readonly<Record<string, unknown>>, body = "Do not."): string =>
  `---\n${Object.entries(matter)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
    .join("\n")}\n---\n${body}\n`
