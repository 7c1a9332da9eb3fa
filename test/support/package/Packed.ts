/** The tarball as npm would publish it, unpacked into projects that have exactly the packages they ask for. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { node } from "../host/RealNode.ts"

export const repo = resolve(import.meta.dirname, "../../..")

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>
  readonly optionalDependencies: Readonly<Record<string, string>>
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
}

/** The program reads what is written to `input`, and `ended` has all that it said. */
const start = (command: ReadonlyArray<string>, cwd: string, env: RunOptions["env"] = {}) => {
  const child = Bun.spawn([...command], {
    cwd,
    env: { ...process.env, ...env },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe"
  })
  const said = Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { input: child.stdin, ended: said.then(([out, err, code]) => ({ out, err, code })) }
}

const run = async (command: ReadonlyArray<string>, cwd: string, { env, input: text = "" }: RunOptions = {}) => {
  const { ended, input } = start(command, cwd, env)
  input.write(text)
  await input.end()
  return ended
}

const succeed = async (command: ReadonlyArray<string>, cwd: string) => {
  const { code, err, out } = await run(command, cwd)
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}\n${out}${err}`)
  return out
}

const link = (folder: string, name: string) => {
  const to = join(folder, "node_modules", name)
  mkdirSync(dirname(to), { recursive: true })
  symlinkSync(join(repo, "node_modules", name), to)
}

/** In a checkout the install script of `bun` has moved the binary out of the package of the platform. */
const linkBun = (folder: string) => {
  const name = readdirSync(join(repo, "node_modules/@oven"))[0] ?? ""
  const to = join(folder, "node_modules/@oven", name)
  cpSync(join(repo, "node_modules/@oven", name, "package.json"), join(to, "package.json"))
  mkdirSync(join(to, "bin"), { recursive: true })
  symlinkSync(process.execPath, join(to, "bin/bun"))
}

/** Packs what `npm test` has built. lib/ is built here. */
export const pack = async () => {
  const folder = mkdtempSync(join(tmpdir(), "heddle-packed-"))
  await succeed([process.execPath, join(repo, "scripts/buildLib.ts")], repo)
  await succeed(["npm", "pack", "--ignore-scripts", "--pack-destination", folder], repo)
  const tarball = join(folder, readdirSync(folder)[0] ?? "")

  /** A project with heddle, its own dependencies, and these packages beside it. */
  const project = async (name: string, packages: ReadonlyArray<string>) => {
    const at = join(folder, name)
    const installed = join(at, "node_modules/heddle")
    mkdirSync(installed, { recursive: true })
    await succeed(["tar", "-xzf", tarball, "--strip-components=1", "-C", installed], folder)
    const { dependencies, optionalDependencies }: Manifest = JSON.parse(
      readFileSync(join(installed, "package.json"), "utf8")
    )
    const needed = [...Object.keys(dependencies), ...Object.keys(optionalDependencies)]
    const names = needed.filter((dependency) => !dependency.startsWith("@oven/"))
    for (const dependency of new Set([...names, ...packages])) link(at, dependency)
    linkBun(at)
    return {
      folder: at,
      installed,
      /** Only this folder's packages are found. */
      run: (command: ReadonlyArray<string>, options?: RunOptions) => run(command, at, options),
      start: (command: ReadonlyArray<string>) => start(command, at)
    }
  }
  return { folder, tarball, project, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

export type Packed = Awaited<ReturnType<typeof pack>>
export const realNode = node ?? "node"
