// Checks the house rules of src that no linter rule expresses: habits that belong in one place, and the size of files.
// Checks code only: blanks out comments, strings and patterns first.
import { readdirSync, readFileSync } from "node:fs"
import { join, relative, resolve } from "node:path"

const root = resolve(process.argv[2] ?? join(import.meta.dir, ".."))
const machine = (file: string) => file.startsWith("src/layers/machine/")
const top = (file: string) => file === "src/cli.ts"
const nowhere = () => false
/** The client looks for the program beside itself. It is no part of the bundle. */
const launch = (file: string) => file === "src/client/Launch.ts"
/** Code of others calls what stands here, and expects promises and exceptions. */
const foreign = (file: string) => /^src\/layers\/pi\/(api|context|events|instance|modules)\//.test(file)
const borders = (file: string) => machine(file) || foreign(file)
/** The viewer of exported pages runs in a browser, so it has a place of its own that catches. */
const edge = (file: string) => plain(file) || file === "src/layers/storage/export/viewer/text/Json.ts"
/** The client is a program of the host's side: plain TypeScript, because hosts need not have Effect. */
const client = (file: string) => /^src\/client\/\w+\.ts$/.test(file)
const plain = (file: string) => borders(file) || client(file)
const either = (file: string) => machine(file) || top(file) || client(file)
const generated = (file: string) => file.startsWith("src/client/generated/")

interface Rule {
  readonly habit: RegExp
  readonly allowedIn: (file: string) => boolean
  readonly instead: string
}

const rules: ReadonlyArray<Rule> = [
  { habit: /\btry\s*\{/g, allowedIn: edge, instead: "try/catch: Effect.try in layers/machine" },
  { habit: /\bthrow\b/g, allowedIn: plain, instead: "throw: fail with a typed error" },
  {
    habit: /(?<![.\w])async\s*(?=[\s(*])/g,
    allowedIn: plain,
    instead: "async: Effect.tryPromise in layers/machine"
  },
  { habit: /(?<![.\w])await\s/g, allowedIn: plain, instead: "await: Effect.tryPromise in layers/machine" },
  { habit: /\b(Date\.now|new\s+Date)\b/g, allowedIn: machine, instead: "Date: the Clock" },
  { habit: /(?<![.\w])process\.\w+/g, allowedIn: either, instead: "process: Config, or a wrapper in layers/machine" },
  { habit: /(?<![.\w])Bun\.\w+/g, allowedIn: machine, instead: "Bun: a wrapper in layers/machine" },
  { habit: /(?<![.\w])console\.\w+/g, allowedIn: machine, instead: "console: Effect.log or Console" },
  { habit: /\bEffect\.run[A-Z]\w*/g, allowedIn: top, instead: "Effect.run*: return the effect" },
  { habit: /\bRuntime\.run[A-Z]\w*/g, allowedIn: machine, instead: "Runtime.run*: a bridge in layers/machine" },
  { habit: /\b\w*Runtime\.runMain\b/g, allowedIn: top, instead: "runMain: only src/cli.ts starts the program" },
  {
    habit: /\b(forkDaemon|unsafeFork)\b/g,
    allowedIn: nowhere,
    instead: "a fiber without owner: FiberHandle, FiberMap…"
  },
  { habit: /\bimport\.meta\b/g, allowedIn: launch, instead: "import.meta: the bundle holds the builder's path" },
  {
    habit: /^import\s+(?!type\b)[^;]*?from\s*(?="(openai|@anthropic-ai\/sdk)[/"])/gm,
    allowedIn: nowhere,
    instead: "provider SDK at start: import() it where it is first called"
  }
]
const silencers = /@ts-(ignore|nocheck|expect-error)|(oxlint|eslint)-disable|@effect-diagnostics/g
const maxLines = (file: string) => (top(file) ? 80 : 350)

const blank = (text: string) => text.replaceAll(/[^\n]/g, " ")
/** A slash after one of these starts a pattern, not a division. */
const beforePattern = /(^|[(,=:[!&|?{};+\n]|=>|\breturn)\s*$/

/** The text with everything but code blanked out, so that positions stay. Import specifiers stay, for the rule on SDKs. */
const codeOf = (text: string): string => {
  let out = ""
  let at = 0
  const skip = (end: number) => {
    out += blank(text.slice(at, end))
    at = end
  }
  const endOf = (pattern: RegExp) => {
    pattern.lastIndex = at
    return pattern.test(text) ? pattern.lastIndex : text.length
  }
  const template = () => {
    skip(at + 1)
    while (at < text.length && text[at] !== "`") {
      if (text[at] === "\\") skip(at + 2)
      else if (text.startsWith("${", at)) {
        skip(at + 2)
        code("}")
        skip(at + 1)
      } else skip(at + 1)
    }
    skip(at + 1)
  }
  const code = (until: string) => {
    for (let depth = 0; at < text.length;) {
      const char = text[at] ?? ""
      if (char === until && depth === 0) return
      if (text.startsWith("//", at)) skip(endOf(/$/gm))
      else if (text.startsWith("/*", at)) skip(endOf(/\*\//g))
      else if (char === "`") template()
      else if (char === '"' && /\b(from|import)\s*$/.test(out.slice(-12))) keep(endOf(/"[^"\n]*"/g))
      else if (char === '"' || char === "'") skip(endOf(char === '"' ? /"(\\.|[^"\\\n])*"/g : /'(\\.|[^'\\\n])*'/g))
      else if (char === "/" && beforePattern.test(out.slice(-40)))
        skip(endOf(/\/(\\.|\[(\\.|[^\]\\\n])*\]|[^/\\\n[])+\/\w*/g))
      else {
        depth += char === "{" ? 1 : char === "}" ? -1 : 0
        keep(at + 1)
      }
    }
  }
  const keep = (end: number) => {
    out += text.slice(at, end)
    at = end
  }
  code("")
  return out
}

const findings: Array<string> = []
const look = (file: string, text: string) => {
  const lineAt = (index: number) => text.slice(0, index).split("\n").length
  const report = (index: number, what: string) => findings.push(`${file}:${lineAt(index)}  ${what}`)
  const code = codeOf(text)
  for (const { allowedIn, habit, instead } of rules)
    if (!allowedIn(file)) for (const match of code.matchAll(habit)) report(match.index, instead)
  for (const match of text.matchAll(silencers)) report(match.index, `${match[0]}: fix the cause`)
  const lines = text.trimEnd().split("\n").length
  if (lines > maxLines(file) && !generated(file))
    report(text.length, `${lines} lines, at most ${maxLines(file)}: split it by subject`)
}

const files = readdirSync(join(root, "src"), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
  .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
  .toSorted()
for (const file of files) look(file, readFileSync(join(root, file), "utf8"))

console.log(findings.length === 0 ? `house: ${files.length} files, nothing to report` : findings.join("\n"))
process.exit(findings.length === 0 ? 0 : 1)
