// Checks that npm installs what package-lock.json lists without a complaint. `npm ci` wants an entry for every optional package
// that a package names, also for other platforms; npm leaves those out that the registry did not have when the file was
// written. And a package that asks for a newer Node than we do makes npm warn.
import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"

interface Entry {
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly engines?: { readonly node?: string }
  /** npm skips it in silence where it does not fit. */
  readonly optional?: boolean
}

const root = resolve(process.argv[2] ?? join(import.meta.dir, ".."))
const { packages }: { packages: Readonly<Record<string, Entry>> } = JSON.parse(
  readFileSync(join(root, "package-lock.json"), "utf8")
)

/** The folders in which npm looks for what a package needs, from its own upwards. */
const candidates = (path: string, name: string): ReadonlyArray<string> => {
  const parts = path.split(/(?:^|\/)node_modules\//)
  return parts.map((_, depth) =>
    [...parts.slice(1, parts.length - depth).map((part) => `node_modules/${part}`), `node_modules/${name}`].join("/")
  )
}

const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
  Object.keys(optionalDependencies)
    .filter((name) => !candidates(path, name).some((candidate) => candidate in packages))
    .map((name) => `package-lock.json: ${name}, which ${path || "heddle"} may need, has no entry`)
)
const oldestNode = "20.19.0"
const demanding = Object.entries(packages).flatMap(([path, { engines, optional }]) =>
  engines?.node === undefined || optional === true || Bun.semver.satisfies(oldestNode, engines.node)
    ? []
    : [`package-lock.json: ${path} needs node ${engines.node}`]
)
for (const line of [...missing, ...demanding]) console.error(line)
if (missing.length + demanding.length > 0) {
  console.error("npm warns about this lock file or refuses it. docs/decisions/0037-package.md says what to do.")
  process.exitCode = 1
}
