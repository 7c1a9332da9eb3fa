/**
 * Compares this working tree with an earlier revision: the same chunks of commands, the same order of answers and events?
 *
 *     bun test/differential/run.ts                        the rows and 100 random cases against the last release
 *     bun test/differential/run.ts --base v0.2.0          against another revision that git knows
 *     bun test/differential/run.ts --seeds 1000 --from 50 other random cases
 *     bun test/differential/run.ts --only 'Holding.*steer|seed 7$'
 *     bun test/differential/run.ts --record               writes recorded.jsonl, which recorded.test.ts compares with
 *
 * Each build is copied into a temporary folder and plays the cases there, in a process and with a test host of its own.
 * What may differ stands in Intended.ts.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import * as Cases from "./Cases.ts"
import * as Intended from "./Intended.ts"
import * as Lanes from "./Lanes.ts"
import * as Recorded from "./Recorded.ts"

const { values } = parseArgs({
  options: {
    base: { type: "string", default: Recorded.bases[0] },
    seeds: { type: "string", default: "100" },
    from: { type: "string", default: "1" },
    only: { type: "string" },
    record: { type: "boolean", default: false }
  }
})

const root = join(import.meta.dirname, "../..")
const temporary = mkdtempSync(join(tmpdir(), "heddle-differential-"))
process.on("exit", () => rmSync(temporary, { recursive: true }))

const run = (command: ReadonlyArray<string>, cwd: string, env: Readonly<Record<string, string>> = {}) => {
  const { exitCode, stderr, stdout } = Bun.spawnSync([...command], { cwd, env: { ...process.env, ...env } })
  return { ok: exitCode === 0, output: `${stdout}${stderr}` }
}

/** The files of a revision, or of the working tree. */
const checkout = (revision: string | undefined): string => {
  const folder = join(temporary, revision ?? "now")
  mkdirSync(folder)
  if (revision === undefined) {
    for (const part of ["src", "test", "package.json", "tsconfig.json", "vitest.config.ts"]) {
      cpSync(join(root, part), join(folder, part), { recursive: true })
    }
  } else {
    const archive = join(temporary, `${revision}.tar`)
    const packed = run(["git", "archive", "--output", archive, revision], root)
    if (!packed.ok || !run(["tar", "-xf", archive, "-C", folder], root).ok) {
      console.error(`This repository does not have ${revision}: ${packed.output}`)
      process.exit(2)
    }
    // Revisions from before the differential test have one slash command less.
    const fakes = join(folder, "test/support/agent/SlashFakes.ts")
    if (!readFileSync(fakes, "utf8").includes("moves")) cpSync(join(root, "test/support/agent/SlashFakes.ts"), fakes)
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  mkdirSync(join(folder, "test/differential"), { recursive: true })
  cpSync(join(import.meta.dirname, "player.ts"), join(folder, "test/differential/player.test.ts"))
  return folder
}

/** What a build wrote, for each case in turn. */
const play = (cases: ReadonlyArray<Cases.Case>, revision?: string): ReadonlyArray<ReadonlyArray<string>> => {
  const folder = checkout(revision)
  const where = join(folder, "cases")
  const fileOf = (at: number) => join(where, `${String(at).padStart(5, "0")}.jsonl`)
  mkdirSync(where)
  cases.forEach(({ script }, at) => writeFileSync(fileOf(at), `${script.join("\n")}\n`))
  const command = ["bunx", "--bun", "vitest", "run", "--maxConcurrency=25", "test/differential/player.test.ts"]
  const result = run(command, folder, { GOLDEN_WRITE: "1", DIFFERENTIAL_CASES: where })
  // Such a case is its script alone, and so differs from any other.
  if (!result.ok) console.error(`${folder}: not all cases came to their end\n${result.output.slice(-4000)}`)
  return cases.map((_, at) => readFileSync(fileOf(at), "utf8").trimEnd().split("\n"))
}

if (values.record) {
  const builds = Recorded.bases.map((revision) => play(Recorded.cases, revision))
  Recorded.write(builds, play(Recorded.cases))
  console.log(`${Recorded.cases.length} cases recorded from ${Recorded.bases.join(" and ")}`)
  process.exit(0)
}

const from = Number(values.from)
const wanted = new RegExp(values.only ?? "")
const cases = [
  ...Cases.rows,
  ...Array.from({ length: Number(values.seeds) }, (_, at) => Cases.random(from + at))
].filter(({ name }) => wanted.test(name))
const base = play(cases, values.base)
const now = play(cases)
let different = 0
cases.forEach(({ name }, at) => {
  const difference = Intended.difference(name, [Lanes.of(base[at] ?? [])], Lanes.of(now[at] ?? []))
  if (difference === undefined) return
  different++
  console.log(`\n${name}\n${difference}`)
})
console.log(`\n${cases.length} cases against ${values.base}, ${different} differ`)
process.exit(different === 0 ? 0 : 1)
