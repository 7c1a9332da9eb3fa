// Writes THIRD_PARTY_LICENSES.md: the licences of all code of others that the package contains, in the bundle or in files
// generated from it. `--check` only compares.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"

const root = resolve(import.meta.dir, "..")
const target = join(root, "THIRD_PARTY_LICENSES.md")

/** Their code is in generated files of src: the viewer of exported pages, and the typebox that extensions import. */
const generated = ["dompurify", "highlight.js", "marked", "typebox"]

interface Package {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly author?: string | { readonly name: string }
}

const folderOf = (name: string) => join(root, "node_modules", name)

const readPackage = (name: string): Package => JSON.parse(readFileSync(join(folderOf(name), "package.json"), "utf8"))

const plainMit = (holder: string) => `MIT License

Copyright (c) ${holder}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`

const textOf = ({ author, license, name }: Package): string => {
  const files = readdirSync(folderOf(name)).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
  if (files.length > 0) {
    return files
      .toSorted()
      .map((file) =>
        readFileSync(join(folderOf(name), file), "utf8")
          .replaceAll("\r\n", "\n")
          .trim()
      )
      .join("\n\n")
  }
  if (license !== "MIT") throw new Error(`${name} has no licence file, and its licence is ${license}`)
  return plainMit(typeof author === "object" ? author.name : (author ?? `the authors of ${name}`))
}

const fence = (text: string) => `\`\`\`\`text\n${text}\n\`\`\`\``

const bundled = (): ReadonlyArray<string> => {
  const built = Bun.spawnSync([process.execPath, join(root, "scripts/build.ts"), "--if-stale"], { cwd: root })
  if (!built.success) throw new Error(`the bundle could not be made\n${built.stderr}`)
  const { packages }: { packages: ReadonlyArray<string> } = JSON.parse(
    readFileSync(join(root, "dist/manifest.json"), "utf8")
  )
  return packages
}

/** Packages with the same text share a section. */
const render = (names: ReadonlyArray<string>): string => {
  const sections = new Map<string, Array<string>>()
  for (const found of names.map(readPackage)) {
    const text = textOf(found)
    sections.set(text, [...(sections.get(text) ?? []), `${found.name} ${found.version} (${found.license})`])
  }
  return [
    "# Licences of others",
    "The package contains code of these projects, in `dist/`, in the viewer of exported pages and in the typebox that extensions " +
      "import. `npm run licenses` writes this file. Bun and ripgrep are installed beside heddle as packages of their own, with " +
      "their licences.",
    ...[...sections].map(([text, packages]) => `## ${packages.join(", ")}\n\n${fence(text)}`)
  ]
    .join("\n\n")
    .concat("\n")
}

const text = render([...new Set([...bundled(), ...generated])].toSorted())
if (!process.argv.includes("--check")) writeFileSync(target, text)
else if (!existsSync(target) || readFileSync(target, "utf8") !== text) {
  console.error("THIRD_PARTY_LICENSES.md is out of date: run `npm run licenses`")
  process.exitCode = 1
}
