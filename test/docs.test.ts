/**
 * The programs in README.md and docs print what the page says, heddle answers as transcripts show, links lead somewhere, and scripts/docBlocks.ts and
 * docLinks.ts find what is wrong.
 */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { basename, join, resolve } from "node:path"
import { assert, describe, it } from "vitest"
import { allBlocks, blocksOf, check, programsOf } from "../scripts/docBlocks.ts"
import { allPages, brokenLinks } from "../scripts/docLinks.ts"
import { builtInModels } from "../src/layers/models/catalog/builtInModels.ts"
import { commands } from "../src/rpc/registry.ts"

const root = resolve(import.meta.dirname, "..")

describe("programs in the docs", () => {
  const programs = allBlocks().filter(({ prints }) => prints !== undefined)

  it("are more than none", () => assert.isNotEmpty(programs))

  it.each(programs.map((block) => [`${block.page}:${block.line}`, block] as const))("%s", async (_, block) => {
    const child = Bun.spawn([process.execPath, "run", "-"], {
      cwd: root,
      stdin: new Blob([...block.hidden, block].map(({ code }) => `${code}\n`)),
      stdout: "pipe",
      stderr: "pipe"
    })
    const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    assert.deepStrictEqual({ out: out.trimEnd(), err, code }, { out: block.prints, err: "", code: 0 })
  })
})

/** A transcript: `>` is a line to heddle, `<` has members of a frame that it answers with, in this order. */
const transcripts = allPages().flatMap((page) =>
  [...readFileSync(join(root, page), "utf8").matchAll(/<!-- transcript: ([^>]*) -->\s*```text\n([\s\S]*?)```/g)].map(
    ([, files = "", text = ""]) => ({ page, files: files.split(" "), lines: text.trim().split("\n") })
  )
)

const includes = (whole: unknown, part: unknown): boolean =>
  typeof part === "object" && part !== null
    ? typeof whole === "object" &&
      whole !== null &&
      Object.entries(part).every(([key, value]) => includes(Reflect.get(whole, key), value))
    : Object.is(whole, part)

describe("transcripts in the docs", () => {
  it("are more than none", () => assert.isNotEmpty(transcripts))

  it.each(transcripts)("what heddle answers on $page", async ({ files, lines }) => {
    const folder = mkdtempSync(join(tmpdir(), "heddle-transcript-"))
    try {
      const cwd = join(folder, "work")
      mkdirSync(cwd)
      for (const file of files) copyFileSync(join(root, file), join(cwd, file))
      const sent = lines.filter((line) => line.startsWith("> ")).map((line) => `${line.slice(2)}\n`)
      const child = Bun.spawn([process.execPath, join(root, "bin/heddle.js"), "--mode", "rpc", "--drain"], {
        cwd,
        env: { PATH: process.env["PATH"], HOME: folder },
        stdin: new Blob(sent),
        stdout: "pipe",
        stderr: "ignore"
      })
      const frames = (await child.stdout.text())
        .trimEnd()
        .split("\n")
        .map((line): unknown => JSON.parse(line))
      const unanswered: Array<string> = []
      for (const line of lines.filter((each) => each.startsWith("< "))) {
        const expected: unknown = JSON.parse(line.slice(2))
        const at = frames.findIndex((frame) => includes(frame, expected))
        if (at < 0) unanswered.push(line)
        else frames.splice(0, at + 1)
      }
      assert.deepStrictEqual(unanswered, [])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe("what the docs name", () => {
  const read = (name: string) => readFileSync(join(root, name), "utf8")

  it("models exist", () => {
    const known = new Set(Object.values(builtInModels).flatMap((models) => models.map(({ id }) => id)))
    const texts = [...allPages(), "python/README.md", "src/layers/Heddle.ts"]
    const named = texts.flatMap((name) => read(name).match(/\b(?:claude|gpt|gemini|grok)-\w[\w.-]*\w/g) ?? [])
    assert.include(named, "claude-sonnet-5-5")
    assert.deepStrictEqual(
      named.filter((name) => /\d/.test(name) && !known.has(name)),
      []
    )
  })

  it("every code with which a command can fail is on the page about errors", () => {
    const pages = read("docs/hosts/errors.md") + read("docs/compaction.md")
    const codes = new Set(commands.flatMap(({ errors }) => errors))
    assert.deepStrictEqual(
      [...codes].filter((code) => !pages.includes(`\`${code}\``)),
      []
    )
  })
})

describe("the page about the parts", () => {
  const text = readFileSync(join(root, "docs/architecture.md"), "utf8")
  const folders = ["src/layers", "src", "."].map((folder) => join(root, folder))
  const leads = (path: string) => folders.some((folder) => existsSync(join(folder, path)))
  const sources = new Set(
    readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" }).map((file) => basename(file))
  )

  it("names files and folders that exist", () => {
    const quoted = [...text.matchAll(/`([\w./-]+(?:\.ts|\/))`/g)].map(([, path = ""]) => path)
    assert.isAbove(quoted.length, 100)
    assert.deepStrictEqual(
      quoted.filter((path) => (path.includes("/") ? !leads(path) : !leads(path) && !sources.has(path))),
      []
    )
    // In the pictures.
    const drawn = [...text.matchAll(/\((\w+\.ts)\)/g)].map(([, name = ""]) => name)
    assert.isNotEmpty(drawn)
    assert.deepStrictEqual(
      drawn.filter((name) => !sources.has(name)),
      []
    )
  })

  /** What a walk says of itself, and the files in it: in brackets are those that are asked. */
  const walks = text
    .split(/^#+ /m)
    .map((section) => ({
      name: section.split("\n", 1).join(),
      said: /^(\d+) files(?:, and (\d+) that are asked)?/m.exec(section),
      section
    }))
    .filter(({ said }) => said !== null)
  const filesIn = (part: string) => [...part.matchAll(/`([\w./-]+\.ts)`/g)].map(([, path]) => path)

  it("has six walks and that of a delta", () => assert.lengthOf(walks, 7))

  it.each(walks)("counts the files of: $name", ({ said, section }) => {
    const [steps = ""] = section.slice(section.indexOf("\n1. ")).split("\n\n", 1)
    const onTheWay = new Set(filesIn(steps.replaceAll(/\([^()]*\)/g, "")))
    const asked = new Set(filesIn(steps).filter((path) => !onTheWay.has(path)))
    assert.deepStrictEqual([onTheWay.size, asked.size], [Number(said?.[1]), Number(said?.[2] ?? 0)])
  })
})

const page = `# Page

<!-- prints: 1 -->

\`\`\`ts
import { join } from "node:path"
const one: number = 1
\`\`\`

\`\`\`sh
ls
\`\`\`

<!-- check: declare const mine: { readonly size: number } -->

\`\`\`ts
const one: string = join("a", mine.size)
\`\`\`

\`\`\`ts
import { join } from "node:path"
one
\`\`\`
`

describe("the check of TypeScript blocks", () => {
  it("finds blocks with their lines, hidden code and output", () => {
    assert.deepStrictEqual(blocksOf("p.md", page), [
      {
        page: "p.md",
        line: 6,
        code: 'import { join } from "node:path"\nconst one: number = 1\n',
        hidden: [],
        prints: "1"
      },
      {
        page: "p.md",
        line: 17,
        code: 'const one: string = join("a", mine.size)\n',
        hidden: [{ line: 14, code: "declare const mine: { readonly size: number }" }],
        prints: undefined
      },
      { page: "p.md", line: 21, code: 'import { join } from "node:path"\none\n', hidden: [], prints: undefined }
    ])
  })

  it("continues a program, starts another with imports, and reports errors at the line of the page", () => {
    assert.deepStrictEqual(check(programsOf(blocksOf("p.md", page))), [
      "p.md:17:31: error TS2345: Argument of type 'number' is not assignable to parameter of type 'string'.\n" +
        "p.md:22:1: error TS2304: Cannot find name 'one'."
    ])
  })
})

describe("decisions", () => {
  const files = readdirSync(join(root, "docs/decisions"))
  const numberOf = (file: string) => file.slice(0, 4)

  it("have a number of their own, and their heading says it", () => {
    const numbers = files.map(numberOf)
    const twice = files.filter((file) => numbers.filter((number) => number === numberOf(file)).length > 1)
    assert.deepStrictEqual(twice, [])
    for (const file of files) {
      const [heading = ""] = readFileSync(join(root, "docs/decisions", file), "utf8").split("\n")
      assert.isTrue(heading.startsWith(`# ${numberOf(file)}: `), `${file} begins with "${heading}"`)
    }
  })

  it("are linked by their number", () => {
    const wrong = allPages().flatMap((page) =>
      [...readFileSync(join(root, page), "utf8").matchAll(/\[(?:decision )?(\d+)\]\((?:[\w./]*\/)?(\d{4})-[\w-]+\.md/g)]
        .filter(([, said, number]) => Number(said) !== Number(number))
        .map(([link]) => `${page}: ${link}`)
    )
    assert.deepStrictEqual(wrong, [])
  })

  it("that the source names are there", () => {
    const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" }).filter((file) =>
      file.endsWith(".ts")
    )
    const named = sources.flatMap((file) =>
      [...readFileSync(join(root, "src", file), "utf8").matchAll(/decisions\/(\d{4}-[\w-]+\.md)/g)].map(
        ([, name]) => name
      )
    )
    assert.isNotEmpty(named)
    assert.deepStrictEqual(
      named.filter((name) => name !== undefined && !files.includes(name)),
      []
    )
  })
})

describe("links in the docs", () => {
  it("lead to files and headings that exist", () => {
    const broken = allPages().flatMap((name) => brokenLinks(name))
    assert.deepStrictEqual(broken, [])
  })

  it("are reported with their line when they do not", () => {
    const folder = mkdtempSync(join(tmpdir(), "heddle-links-"))
    try {
      const headings = '# One `two`: *three*!\n\n## Same\n\n## Same\n\n<a id="kept"></a>\n'
      writeFileSync(join(folder, "other.md"), headings)
      writeFileSync(
        join(folder, "page.md"),
        "# Page\n[a](other.md#one-two-three) [b](other.md#same-1) [c](other.md#kept) [d](#page) [e](https://x.y/z)\n" +
          "[f](missing.md)\n[g](other.md#same-2), [h](#none)\n`[i](code.md)`\n```\n[j](code.md)\n# none\n```\n"
      )
      assert.deepStrictEqual(brokenLinks("page.md", folder), [
        "page.md:3: there is no missing.md",
        "page.md:4: other.md has no heading #same-2",
        "page.md:4: page.md has no heading #none"
      ])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
