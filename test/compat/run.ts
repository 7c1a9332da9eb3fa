/** `npm run compat`: real extensions from npm, in a real host process, with a scripted model. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { targets } from "./host/Target.ts"
import * as Options from "./Options.ts"
import { packages } from "./packages.ts"
import * as Report from "./Report.ts"
import * as Runner from "./Runner.ts"

const options = Options.read(process.argv.slice(2), packages.length)
if (typeof options === "string") {
  console.error(options)
  process.exit(2)
}

const root = mkdtempSync(join(tmpdir(), "heddle-compat-"))
const target = await targets[options.target]()
const context = Runner.context(root, target)
const numbered = packages
  .map((pkg, index) => ({ pkg, number: index + 1 }))
  .filter(({ number }) => options.only.length === 0 || options.only.includes(number))
const results = await Runner.twoAtATime(numbered, async ({ number, pkg }) => {
  const found = await Runner.runPackage(pkg, number, context)
  for (const result of found) console.log(Report.line(result))
  return found
})
const all = results.flat()
console.log(`\n${Report.summary(all)}\n`)
if (options.keep) console.log(`Kept in ${root}.`)
else rmSync(root, { recursive: true, force: true, maxRetries: 5 })
const reasons = all.map(({ reason }) => reason)
console.log(Report.closing(reasons))
process.exit(reasons.every((reason) => reason === undefined) ? 0 : 1)
