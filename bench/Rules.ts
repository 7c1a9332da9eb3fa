/** A project with many stream rules, and a scenario that streams varied text past them without breaking one. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const conditions = [
  (n: number) => `console\\.(log|warn)\\(["']${n}`,
  (n: number) => `\\bunwrap_${n}\\(\\)`,
  (n: number) => `import .* from ["']lib-${n}["']`,
  (n: number) => `(?i)todo:?\\s+task ${n}\\b`,
  (n: number) => `as any\\s*;?\\s*// ${n}`
]

const words =
  "the quick weaver import { threads } from 'loom' const x = await console.log TODO unwrap_ ( ) ; // as any function return".split(
    " "
  )

/** Varied, but the same each time. */
const texts = (count: number) => {
  let seed = 1
  return Array.from({ length: count }, () => {
    let text = ""
    while (text.length < 20) {
      seed = (seed * 48_271) % 2_147_483_647
      text += `${words[seed % words.length]}${seed % 11 === 0 ? "\n" : " "}`
    }
    return text.slice(0, 20)
  })
}

const folder = (work: string) => join(work, ".heddle/rules")

/** Returns the path of the scenario. */
export const write = (work: string, { deltas, rules }: { readonly deltas: number; readonly rules: number }) => {
  mkdirSync(folder(work), { recursive: true })
  for (let n = 0; n < rules; n++) {
    const condition = JSON.stringify(conditions[n % conditions.length]?.(n))
    writeFileSync(join(folder(work), `rule-${n}.md`), `---\ncondition: ${condition}\n---\nDo not do ${n}.\n`)
  }
  const file = join(work, "rules.json")
  const steps = [{ text: texts(deltas).join(""), chunk: 20 }]
  writeFileSync(file, JSON.stringify({ turns: [{ steps }], atEnd: "repeat" }))
  return file
}

export const remove = (work: string) => rmSync(folder(work), { recursive: true })
