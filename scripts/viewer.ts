// Bundles the page of exported sessions into src/layers/export/viewer.json; with --check says whether that is stale.
// The asset is committed, so that an export needs neither a bundler nor the libraries (docs/decisions).
import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dir, "..")
const target = join(root, "src/layers/export/viewer.json")
const viewer = join(root, "src/layers/export/viewer")
const styles = ["base", "overview", "conversation", "code", "print"]

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
  if (output === undefined) throw new Error(`nothing came out of ${entrypoint}`)
  return (await output.text()).trim()
}

/** Inside <script> these three would end or hide it; the escaped form means the same in strings and patterns. */
const embeddable = (script: string) => script.replaceAll(/<(?=\/script|script|!--)/gi, "\\x3c")

const hash = (text: string) => `sha256-${createHash("sha256").update(text).digest("base64")}`

const version = (name: string): string =>
  JSON.parse(readFileSync(join(root, "node_modules", name, "package.json"), "utf8")).version

/** What the licences want to see beside copies of the libraries. Two dashes would end the comment they stand in. */
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

/** Made under another name than the page's own, the licence comments of the libraries are left to the notices. */
const withoutComments = (script: string) => script.replaceAll(/\/\*!.*?\*\/\n?/gs, "")

const sheet = async () => {
  const made = await Promise.all(styles.map((name) => bundle(join(viewer, "styles", `${name}.css`))))
  return made.join("")
}

const script = embeddable(withoutComments(await bundle(join(viewer, "Main.ts"))))
const style = await sheet()
if (/<\/style/i.test(style)) throw new Error("the style would end itself")
const asset = { script, scriptHash: hash(script), style, styleHash: hash(style), notices: notices() }
const text = `${JSON.stringify(asset, null, 2)}\n`

const current = await Bun.file(target)
  .text()
  .catch(() => "")
if (process.argv.includes("--check")) {
  if (current !== text) console.error("src/layers/export/viewer.json is stale: run npm run viewer")
  process.exit(current === text ? 0 : 1)
}
writeFileSync(target, text)
console.log(`viewer: script ${Math.round(script.length / 1024)} KB, style ${Math.round(style.length / 1024)} KB`)
