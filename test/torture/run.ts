/** `npm run torture`: attacks heddle until it breaks or the time is up, and prints what it has seen. See docs/reliability.md. */
import * as Figures from "../support/torture/Figures.ts"
import * as Part from "../support/torture/Part.ts"
import * as Random from "../support/torture/Random.ts"
import * as Options from "./Options.ts"
import { parts, targets } from "./parts.ts"

const options = Options.read(process.argv.slice(2))
if (typeof options === "string") {
  console.error(options)
  process.exit(2)
}

const began = performance.now()
const rows: Array<ReadonlyArray<string>> = []
let violations = 0
console.log(`seed ${options.seed}`)
for (const [name, part] of Object.entries(parts)) {
  if (!options.only.includes(name)) continue
  const bounds = part.bounds[options.full ? "full" : "standard"]
  const left = options.total - (performance.now() - began) / 1000
  if (left <= 0) {
    console.log(`${name}: left out, the time is up`)
    continue
  }
  console.log(`${name}: ${part.summary}`)
  const figures = Figures.empty()
  const start = {
    name,
    seed: options.seed,
    bounds: { cases: options.cases ?? bounds.cases, seconds: Math.min(options.seconds ?? bounds.seconds, left) },
    ...(options.caseName === undefined ? {} : { only: options.caseName }),
    say: (line: string) => console.log(line)
  }
  const started = performance.now()
  const context = Part.context(start, Random.make(options.seed).fork(name), figures)
  await (options.target === undefined ? part.run(context) : targets[name]?.(context, options.target))
  for (const note of figures.notes) console.log(`  ${note}`)
  violations += figures.violations.length
  rows.push(Figures.row(name, figures, (performance.now() - started) / 1000))
}
console.log(`\n${Figures.table(rows)}\n\nseed ${options.seed}, ${violations} violations`)
process.exit(violations === 0 ? 0 : 1)
