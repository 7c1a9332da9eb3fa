/** `npm run compat`: real extensions from npm, in a real host process, with a scripted model. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { targets } from "./host/Target.ts"
import * as Clients from "./clients/run.ts"
import * as More from "./More.ts"
import candidates from "./more.json" with { type: "json" }
import * as Options from "./Options.ts"
import { packages } from "./packages.ts"
import * as Report from "./Report.ts"
import * as Runner from "./Runner.ts"

const options = Options.read(process.argv.slice(2), packages.length)
if (typeof options === "string") {
  console.error(options)
  process.exit(2)
}
const { clients, keep, more, only, record, target } = options
const chosen = ({ number }: { readonly number: number }) => only.length === 0 || only.includes(number)

const twelve = async (context: Runner.Context) => {
  const numbered = packages.map((pkg, index) => ({ pkg, number: index + 1 })).filter(chosen)
  const results = await Runner.twoAtATime(numbered, async ({ number, pkg }) => {
    const found = await Runner.runPackage(pkg, number, context)
    for (const result of found) console.log(Report.line(result))
    return found
  })
  console.log(`\n${Report.summary(results.flat())}`)
  return results.flat().map(({ reason }) => reason)
}

const many = async (context: Runner.Context) => {
  const list: ReadonlyArray<More.Candidate> = candidates
  const numbered = list.map((candidate, index) => ({ candidate, number: index + 1 })).filter(chosen)
  const outcomes = await Runner.twoAtATime(numbered, ({ candidate, number }) => More.tryOne(candidate, number, context))
  console.log(More.table(outcomes))
  if (record) writeFileSync(join(import.meta.dirname, "more.json"), More.record(outcomes))
  return outcomes.map(({ reason }) => reason)
}

const root = mkdtempSync(join(tmpdir(), "heddle-compat-"))
const run = async () => {
  try {
    if (clients) return await Clients.clients(root)
    const context = Runner.context(root, await targets[target]())
    return await (more ? many(context) : twelve(context))
  } catch (error) {
    const reason = Runner.reasonOf(error)
    console.log(`FAIL  ${reason}`)
    return [reason]
  } finally {
    if (keep) console.log(`\nKept in ${root}.`)
    else rmSync(root, { recursive: true, force: true, maxRetries: 5 })
  }
}
const reasons = await run()
console.log(`\n${Report.closing(reasons)}`)
process.exit(reasons.every((reason) => reason === undefined) ? 0 : 1)
