/** A real sandbox over this machine, for tests. */
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { dlopen } from "bun:ffi"
import { Effect } from "effect"
import * as LocalFiles from "../../../src/layers/machine/files/LocalFiles.ts"
import * as LocalProcesses from "../../../src/layers/machine/processes/LocalProcesses.ts"
import * as Confinement from "../../../src/layers/machine/sandbox/Confinement.ts"
import type { SandboxOptions } from "../../../src/layers/machine/sandbox/Options.ts"
import { temporary } from "../../../src/layers/machine/sandbox/Policy.ts"

const works = () => {
  const args = [
    "--ro-bind",
    "/",
    "/",
    "--proc",
    "/proc",
    "--unshare-user",
    "--disable-userns",
    "--unshare-pid",
    "--",
    "true"
  ]
  return Bun.which("bwrap") !== null && Bun.spawnSync(["bwrap", ...args]).exitCode === 0
}

/** Where it is false, the tests that need a sandbox are left out, and say so. */
export const canHold = process.platform === "linux" && works()
if (!canHold) console.error("NO SANDBOX HERE (bubblewrap is missing or cannot start): its tests are left out")

const isTemporary = (path: string) => temporary.some((folder) => path.startsWith(`${folder}/`))

/** Beside the packages, or in the home folder where the checkout is below a temporary folder itself. */
const visible = () => {
  const packages = join(import.meta.dirname, "../../../node_modules")
  return isTemporary(packages) ? homedir() : packages
}

/** A Bun that can be started in a sandbox: a copy in the folder, where the one that runs the tests is below a temporary folder. */
export const bunIn = (folder: string): string => {
  if (!isTemporary(process.execPath)) return process.execPath
  const copy = join(folder, "bun")
  copyFileSync(process.execPath, copy)
  return copy
}

const landlockVersion = () => {
  const symbols = { syscall: { args: ["i64", "i64", "i64", "i64"], returns: "i64" } } as const
  try {
    return Number(dlopen("libc.so.6", symbols).symbols.syscall(444n, 0n, 0n, 1n))
  } catch {
    return -1
  }
}

/** The same for tests of Landlock, which takes the place of bubblewrap where there are no namespaces. */
export const canLock = process.platform === "linux" && landlockVersion() >= 4
if (!canLock) console.error("NO LANDLOCK HERE (Linux 6.7 has it): its tests are left out")

/** A folder that is visible in a sandbox, unlike those below /tmp. It goes away with the scope. */
export const ground = Effect.acquireRelease(
  Effect.sync(() => {
    const root = realpathSync(mkdtempSync(join(visible(), ".heddle-test-")))
    for (const name of ["work", "outside", "agent"]) mkdirSync(join(root, name))
    return { root, work: join(root, "work"), outside: join(root, "outside"), agentDir: join(root, "agent") }
  }),
  ({ root }) => Effect.sync(() => rmSync(root, { recursive: true, force: true }))
)

const local = { files: LocalFiles.service, processes: LocalProcesses.service }

/** A machine that refuses namespaces: there bubblewrap does not start. All else is real. */
export const withoutNamespaces: Confinement.Machine = {
  ...local,
  processes: {
    ...local.processes,
    run: (program) =>
      program.launcher?.words([])[0]?.endsWith("/bwrap") === true
        ? Effect.succeed({ exitCode: 1, errors: "bwrap: No permissions to create new namespace" })
        : local.processes.run(program)
  }
}

export const make = (
  cwd: string,
  agentDir: string,
  options: Partial<SandboxOptions> = {},
  machine: Confinement.Machine = local
) =>
  Effect.map(
    Confinement.make(
      {
        mode: "workspace-write",
        network: "off",
        cwd,
        agentDir,
        writable: [],
        hidden: [],
        env: [],
        tmpBytes: 8 * 1024 * 1024,
        ...options
      },
      machine
    ),
    (confined) => ({
      ...confined,
      /** What a command prints, both streams together, and its exit code. */
      bash: (command: string, env: Readonly<Record<string, string>> = {}) =>
        Effect.scoped(
          Effect.gen(function* () {
            const tree = yield* confined.processes.tree({ shellPath: "bash", grace: () => 100, jobGrace: 100 })
            let output = ""
            const take = (chunk: Uint8Array) => void (output += new TextDecoder().decode(chunk))
            const given = { PATH: process.env["PATH"] ?? "", ...env }
            const shell = yield* tree.spawn({ command, cwd, env: given, take })
            const code = yield* shell.exited
            yield* shell.release
            return { output, code }
          })
        )
    })
  )
