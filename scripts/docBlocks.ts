/**
 * Type-checks the TypeScript blocks of README.md and docs. A block with imports starts a program. A block without
 * imports continues the program above it on the page, and may declare the same names again. Two hidden comments may
 * stand above a block: `<!-- check: … -->` holds code that the program needs and readers do not, and `<!-- prints: … -->`
 * holds the output of a block that test/docs.test.ts runs.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"

export interface Block {
  readonly page: string
  /** The line of the page that holds the first line of the code, counted from 1. */
  readonly line: number
  readonly code: string
  readonly hidden: ReadonlyArray<{ readonly line: number; readonly code: string }>
  readonly prints: string | undefined
}

const fences = /^ *(`{3,})(\w*)[^\n]*\n([\s\S]*?)^ *\1 *$/gm
const comments = /<!-- (check|prints):([\s\S]*?)-->/g
const startsProgram = ({ code }: Block) => /^import\b/m.test(code)
const outputs = /^(await|console)\b/m

export const blocksOf = (page: string, markdown: string): ReadonlyArray<Block> => {
  const lineAt = (index: number) => markdown.slice(0, index).split("\n").length
  const blocks: Array<Block> = []
  let proseFrom = 0
  for (const { 0: fence, 2: language, 3: code = "", index } of markdown.matchAll(fences)) {
    const notes = [...markdown.slice(proseFrom, index).matchAll(comments)].map((note) => ({
      kind: note[1],
      code: note[2]?.trim() ?? "",
      line: lineAt(proseFrom + note.index)
    }))
    proseFrom = index + fence.length
    if (language !== "ts") continue
    const prints = notes.find(({ kind }) => kind === "prints")?.code
    const hidden = notes.filter(({ kind }) => kind === "check").map(({ code, line }) => ({ code, line }))
    blocks.push({ page, line: lineAt(index) + 1, code, hidden, prints })
  }
  return blocks
}

interface Program {
  /** Each with the place in the docs that an error in it is reported at. */
  readonly lines: ReadonlyArray<{ readonly text: string; readonly at: string }>
}

/** Hidden code stands at the top. Later blocks are nested scopes, so that a page may show a second `const agent`. */
const programOf = (blocks: ReadonlyArray<Block>): Program => {
  const linesOf = (page: string, line: number, code: string) =>
    code.split("\n").map((text, offset) => ({ text, at: `${page}:${line + offset}` }))
  const hidden = blocks.flatMap(({ hidden, page }) => hidden.flatMap(({ code, line }) => linesOf(page, line, code)))
  const shown = blocks.map(({ code, line, page }) => linesOf(page, line, code))
  const brace = (text: string) => ({ text, at: blocks[0]?.page ?? "" })
  const nested = shown.flatMap((lines, index) => (index === 0 ? lines : [brace("{"), ...lines]))
  return { lines: [...hidden, ...nested, brace("}".repeat(blocks.length - 1)), brace("export {}")] }
}

export const programsOf = (blocks: ReadonlyArray<Block>): ReadonlyArray<Program> => {
  const programs: Array<Array<Block>> = []
  for (const block of blocks) {
    const last = programs.at(-1)
    if (last === undefined || last[0]?.page !== block.page || startsProgram(block)) programs.push([block])
    else last.push(block)
  }
  return programs.map(programOf)
}

const root = resolve(import.meta.dirname, "..")

/** Every block of the README and of docs. */
export const allBlocks = (): ReadonlyArray<Block> => {
  const docs = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
  const pages = ["README.md", ...docs.filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`)]
  return pages.toSorted().flatMap((page) => blocksOf(page, readFileSync(join(root, page), "utf8")))
}

/** Declares what modules of src import besides TypeScript. */
const declarations = "../src/layers/delegation/subagents/agents/markdown.d.ts"

const config = (files: ReadonlyArray<string>) => ({
  extends: "../tsconfig.json",
  compilerOptions: { noUnusedLocals: false, noUnusedParameters: false },
  files: [...files, declarations],
  include: []
})

/** The errors of tsc, each at its line of the docs. The folder is inside the project: there `heddle` is this package. */
export const check = (programs: ReadonlyArray<Program>): ReadonlyArray<string> => {
  const folder = mkdtempSync(join(root, ".doc-blocks-"))
  try {
    const names = programs.map((_, index) => `program${index}.ts`)
    for (const [index, { lines }] of programs.entries())
      writeFileSync(join(folder, `program${index}.ts`), lines.map(({ text }) => text).join("\n"))
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config(names)))
    const tsc = join(root, "node_modules/.bin/tsc")
    const { exitCode, stdout } = Bun.spawnSync([tsc, "--pretty", "false", "-p", folder], { cwd: folder })
    if (exitCode === 0) return []
    const place = /^program(\d+)\.ts\((\d+),(\d+)\)/gm
    const where = (all: string, program: string, line: string, column: string) =>
      `${programs[Number(program)]?.lines[Number(line) - 1]?.at ?? all}:${column}`
    return [stdout.toString().replaceAll(place, where).trimEnd()]
  } finally {
    rmSync(folder, { recursive: true })
  }
}

if (import.meta.main) {
  const blocks = allBlocks()
  const silent = blocks.filter((block) => outputs.test(block.code) && block.prints === undefined)
  const unsaid = silent.map(({ line, page }) => `${page}:${line}: a block that runs needs a comment <!-- prints: … -->`)
  const findings = [...unsaid, ...check(programsOf(blocks))]
  console.log(findings.length === 0 ? `docs: ${blocks.length} TypeScript blocks compile` : findings.join("\n"))
  process.exit(findings.length === 0 ? 0 : 1)
}
