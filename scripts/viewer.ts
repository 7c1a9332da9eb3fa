// Bundles the viewer of exported pages into src/layers/storage/export/viewer.json. With --check it only reports whether that file
// is stale. The file is committed, so that an export needs neither a bundler nor the libraries (docs/decisions/0008).
import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dir, "..")
const target = join(root, "src/layers/storage/export/viewer.json")
const viewer = join(root, "src/layers/storage/export/viewer")
const styles = ["base", "overview", "conversation", "tasks", "code", "print"]

const bundle = async (entrypoint: string) => {
  const { outputs } = await Bun.build({
    entrypoints: [entrypoint],
    target: "browser",
    format: "iife",
    minify: true,
    root,
    define: { "process.env.NODE_ENV": '"production"' }
  })
  const [output] = outputs
  if (output === undefined) throw new Error(`the bundler has no output for ${entrypoint}`)
  return (await output.text()).trim()
}

/** Escapes the three texts that would end or hide a <script>. In strings and patterns the escape means the same. */
const embeddable = (script: string) => script.replaceAll(/<(?=\/script|script|!--)/gi, "\\x3c")

const hash = (text: string) => `sha256-${createHash("sha256").update(text).digest("base64")}`

const version = (name: string): string =>
  JSON.parse(readFileSync(join(root, "node_modules", name, "package.json"), "utf8")).version

/** The notices that the licences of the libraries require. Two dashes would end the HTML comment that holds them. */
const notices = () =>
  [
    ...["marked", "highlight.js"].map(
      (name) =>
        `${name} ${version(name)}\n\n${readFileSync(join(root, "node_modules", name, "LICENSE"), "utf8").trim()}`
    ),
    `DOMPurify ${version("dompurify")}, (c) Cure53 and other contributors, Apache License 2.0 and Mozilla Public License 2.0\nhttps://github.com/cure53/DOMPurify/blob/${version("dompurify")}/LICENSE`
  ]
    .join("\n\n")
    .replaceAll(/-{2,}/g, "-")
    .replaceAll(/[<>]/g, "")

/** Removes the licence comments of the libraries: the notices have them. */
const withoutComments = (script: string) => script.replaceAll(/\/\*!.*?\*\/\n?/gs, "")

const sheet = async () => {
  const made = await Promise.all(styles.map((name) => bundle(join(viewer, "styles", `${name}.css`))))
  return made.join("")
}

const script = embeddable(withoutComments(await bundle(join(viewer, "Main.ts"))))
const style = await sheet()
if (/<\/style/i.test(style)) throw new Error("the style contains </style>, which would end it")
const asset = { script, scriptHash: hash(script), style, styleHash: hash(style), notices: notices() }
const text = `${JSON.stringify(asset, null, 2)}\n`

const current = await Bun.file(target)
  .text()
  .catch(() => "")
if (process.argv.includes("--check")) {
  if (current !== text) console.error("src/layers/storage/export/viewer.json is stale: run npm run viewer")
  process.exit(current === text ? 0 : 1)
}
writeFileSync(target, text)
console.log(`viewer: script ${Math.round(script.length / 1024)} KB, style ${Math.round(style.length / 1024)} KB`)
