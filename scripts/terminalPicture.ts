// Plays a session of heddle in a pseudo-terminal and draws its screen as docs/images/terminal.svg. The model follows a
// script; everything else is real: the tools run, and the picture shows what a person would see.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import * as VirtualTerminal from "../test/support/terminal/VirtualTerminal.ts"

const repo = resolve(import.meta.dir, "..")
const out = join(repo, "docs/images/terminal.svg")
const [columns, rows] = [84, 40]

const test = `import { expect, test } from "bun:test"
import { slug } from "./slug.ts"
test("slug", () => expect(slug("Hello World")).toBe("hello-world"))
`
const source = `export const slug = (title: string) => title.replaceAll(" ", "-")
`
const usage = (input: number, output: number) => ({ input, output })
const scenario = {
  turns: [
    {
      steps: [
        { text: "I will run the test first." },
        {
          toolCall: {
            name: "bash",
            arguments: { command: "bun test slug.test.ts 2>&1 | grep -E 'Expected|Received| (pass|fail)'" }
          }
        }
      ],
      usage: usage(2400, 60)
    },
    {
      steps: [
        { text: "`slug` keeps capital letters." },
        {
          toolCall: {
            name: "edit",
            arguments: {
              path: "slug.ts",
              edits: [{ oldText: "title.replaceAll", newText: "title.toLowerCase().replaceAll" }]
            }
          }
        }
      ],
      usage: usage(2700, 90)
    },
    {
      steps: [
        { toolCall: { name: "bash", arguments: { command: "bun test slug.test.ts 2>&1 | grep -E ' (pass|fail)'" } } }
      ],
      usage: usage(2900, 40)
    },
    {
      steps: [
        {
          text: "The test **passes** now:\n\n| file | change |\n|---|---|\n| `slug.ts` | lower-cases the title first |\n\nTitles with *several* spaces still give several dashes. Shall I fix that, too?"
        }
      ],
      usage: usage(3100, 120)
    }
  ]
}

const root = realpathSync(mkdtempSync(join(tmpdir(), "heddle-picture-")))
const work = join(root, "blog")
mkdirSync(work)
writeFileSync(join(work, "slug.ts"), source)
writeFileSync(join(work, "slug.test.ts"), test)
writeFileSync(join(root, "scenario.json"), JSON.stringify(scenario))

const screen = VirtualTerminal.make(columns, rows)
const decoder = new TextDecoder()
const terminal = new Bun.Terminal({
  cols: columns,
  rows,
  data: (_, bytes) => screen.write(decoder.decode(bytes, { stream: true }))
})
const settings = ["--model", "offline/script", "--set", `offline.scenario=${join(root, "scenario.json")}`]
const child = Bun.spawn([process.execPath, join(repo, "bin/heddle.js"), ...settings], {
  terminal,
  cwd: work,
  env: { PATH: process.env["PATH"] ?? "", HOME: root, HEDDLE_AGENT_DIR: join(root, "agent"), TERM: "xterm-256color" }
})
const until = async (wanted: RegExp) => {
  const deadline = performance.now() + 20_000
  while (!wanted.test(screen.text()) || screen.text().includes("• working")) {
    if (performance.now() > deadline) throw new Error(`the screen never had ${wanted}:\n${screen.text()}`)
    await Bun.sleep(20)
  }
}

await until(/offline\/script ·/)
terminal.write("why does @slug.test.ts fail?\r")
await until(/Shall I fix that[^]*tokens/)
terminal.write("yes, and add a test for it")
await until(/> yes, and add a test for it/)

const colours: Readonly<Record<string, string>> = {
  31: "#ff7b72",
  32: "#7ee787",
  33: "#e3b341",
  34: "#79c0ff",
  35: "#d2a8ff",
  36: "#56d4dd",
  "38;5;215": "#ffb86b",
  "38;5;242": "#8b949e"
}
const [cellWidth, lineHeight, margin] = [8.4, 18, 20]
/** Other spaces would be joined, or lost at the ends. */
const escape = (text: string) =>
  text.replaceAll(" ", "\u00a0").replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

const attributes = (style: ReadonlyArray<string>) => {
  const colour = style.map((code) => colours[code]).find((found) => found !== undefined)
  return [
    colour === undefined ? "" : ` fill="${colour}"`,
    style.includes("1") ? ' font-weight="bold"' : "",
    style.includes("3") ? ' font-style="italic"' : "",
    style.includes("2") ? ' opacity="0.6"' : ""
  ].join("")
}

/** Cells of one style become one text; each has its own place, so that no font shifts the columns. */
const row = (cells: ReadonlyArray<VirtualTerminal.Cell>, y: number): string => {
  const runs: Array<{ readonly from: number; readonly style: ReadonlyArray<string>; text: string }> = []
  cells.forEach(({ style, text }, from) => {
    const last = runs.at(-1)
    if (last !== undefined && last.style.join() === style.join()) last.text += text
    else runs.push({ from, style, text })
  })
  return runs
    .filter(({ text }) => text.trim() !== "")
    .map(({ from, style, text }) => {
      const length = (Bun.stringWidth(text) * cellWidth).toFixed(1)
      const place = `x="${(margin + from * cellWidth).toFixed(1)}" y="${y}" textLength="${length}"`
      return `<text ${place}${attributes(style)}>${escape(text)}</text>`
    })
    .join("\n")
}

const lines = screen.cells()
const height = lines.length * lineHeight + 2 * margin
const width = Math.round(columns * cellWidth + 2 * margin)
const cursor = screen.cursor()
const caret = `<rect x="${(margin + cursor.column * cellWidth).toFixed(1)}" y="${margin + cursor.row * lineHeight}" width="${cellWidth}" height="${lineHeight}" fill="#c9d1d9" opacity="0.7"/>`
const title = "A session of heddle in a terminal: a question, tool calls, a diff and an answer"
const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">
<title>${title}</title>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="#c9d1d9">
${lines
  .map((cells, index) => row(cells, margin + (index + 1) * lineHeight - 5))
  .filter((line) => line !== "")
  .join("\n")}
${caret}
</g>
</svg>
`
mkdirSync(join(repo, "docs/images"), { recursive: true })
writeFileSync(out, svg)
console.log(`${out}\n\n${screen.text()}`)
terminal.write("\u0003\u0003\u0003")
await child.exited
terminal.close()
rmSync(root, { recursive: true, force: true })
