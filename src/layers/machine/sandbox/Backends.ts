/** By what means this machine can hold programs. Whether it really can is tried once, with a program that does nothing. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Environment, Launcher, Processes, SpawnFailed } from "../../../services/machine/Processes.ts"
import { type Backend as Name, SandboxUnavailable } from "../../../services/machine/Sandbox.ts"
import * as LocalPaths from "../files/LocalPaths.ts"
import * as Spawn from "../processes/spawn/Spawn.ts"
import * as Host from "./system/Host.ts"
import * as PassedBytes from "./system/PassedBytes.ts"
import * as Bubblewrap from "./Bubblewrap.ts"
import { isIn, type Policy, temporary } from "./Policy.ts"
import * as Seatbelt from "./Seatbelt.ts"
import * as Seccomp from "./Seccomp.ts"

export interface Backend {
  readonly name: Name
  /** What it does not hold, beside what no sandbox of heddle does. */
  readonly outside: ReadonlyArray<string>
  /**
   * Closes its descriptors with the scope. The variables are for the program alone: what holds it is started without any, because the
   * loader of programs obeys some, such as LD_PRELOAD, and would obey the command before it is held.
   */
  readonly launcher: (
    policy: Policy,
    cwd: string,
    variables: Environment
  ) => Effect.Effect<Launcher, SpawnFailed, Scope.Scope>
}

const install = "install bubblewrap, for example: apt-get install bubblewrap (or dnf, pacman, apk add)"

/** The first descriptors behind the three streams. */
const descriptors = { filter: 3, variables: 4 }

const bubblewrap = (program: string, filter: Uint8Array): Backend => {
  const found = temporary.filter((path) => Host.real(path) === path)
  const resolver = Host.real("/etc/resolv.conf")
  const ofRun = [
    ...(resolver !== undefined && isIn("/run", resolver) ? [resolver] : []),
    // Where NixOS has its programs.
    ...["/run/current-system", "/run/opengl-driver"].filter(Host.exists)
  ]
  return {
    name: "bubblewrap",
    outside: [],
    launcher: Effect.fnUntraced(function* (policy, cwd, variables) {
      const files = [yield* PassedBytes.open(filter), yield* PassedBytes.open(Bubblewrap.settingVariables(variables))]
      return {
        files,
        words: (reads) => Bubblewrap.words(program, { policy, cwd, temporary: found, ofRun, reads, descriptors })
      }
    })
  }
}

const seatbelt = (program: string): Backend => ({
  name: "seatbelt",
  outside: ["processes", "temporary_folders"],
  launcher: (policy, _, variables) =>
    Effect.succeed({ words: () => Seatbelt.words(program, policy, variables), files: [] })
})

const unavailable = (reason: string, fix: string) => new SandboxUnavailable({ reason, fix })

/** A command could otherwise put a program of its own in the place of the one that holds it. */
const outsideOf = (policy: Policy, program: string) => !policy.writable.some((folder) => isIn(folder, program))

const onLinux = Effect.fnUntraced(function* (policy: Policy) {
  const filter = Seccomp.program(Host.arch)
  if (filter === undefined)
    return yield* unavailable(`there is no filter of system calls for ${Host.arch}`, "start on x86-64 or ARM 64")
  const named = yield* Spawn.which("bwrap")
  const program = named === undefined ? undefined : Host.real(LocalPaths.resolve(named))
  if (program === undefined) return yield* unavailable("bubblewrap (bwrap) is not found", install)
  if (!outsideOf(policy, program))
    return yield* unavailable(`${program} can be changed by the commands that it would hold`, install)
  return bubblewrap(program, filter)
})

const onMac = Effect.suspend(() => {
  const program = "/usr/bin/sandbox-exec"
  return Host.exists(program)
    ? Effect.succeed(seatbelt(program))
    : unavailable(`${program} is not found`, "update macOS, or start without --sandbox")
})

/** What to do about the words of bubblewrap. */
const fixFor = (words: string): string => {
  if (/Unknown option|disable-userns|--size|--perms/.test(words)) return "install bubblewrap 0.8 or newer"
  if (/Can't mount proc/.test(words))
    return "in a container, start it so that /proc can be mounted: docker run --security-opt systempaths=unconfined"
  return "allow user namespaces: sysctl -w kernel.unprivileged_userns_clone=1 kernel.apparmor_restrict_unprivileged_userns=0, or in a container: docker run --security-opt seccomp=unconfined"
}

/** Whether the means works here. */
const tried = Effect.fnUntraced(function* (
  backend: Backend,
  policy: Policy,
  { run }: Pick<typeof Processes.Service, "run">
) {
  const bare: Policy = { ...policy, kept: [], absent: [] }
  const started = Effect.flatMap(backend.launcher(bare, policy.workspace, {}), (launcher) =>
    run({
      command: ["/bin/sh", "-c", ":"],
      cwd: policy.workspace,
      env: {},
      onOutput: () => true,
      keepErrors: true,
      launcher
    })
  )
  const ended = yield* Effect.mapError(Effect.scoped(started), ({ message }) => unavailable(message, install))
  if (ended.exitCode === 0) return backend
  const words = ended.errors.trim().split("\n", 1).join("")
  return yield* unavailable(`it does not start here (${words || `exit code ${ended.exitCode}`})`, fixFor(ended.errors))
})

/** What this machine has, whatever is asked of it. The folder is on every machine. */
export const here = (processes: Pick<typeof Processes.Service, "run">) =>
  find(
    {
      mode: "workspace-write",
      network: "off",
      workspace: "/usr",
      writable: [],
      kept: [],
      absent: [],
      hidden: [],
      tmpBytes: 1024 * 1024
    },
    processes
  )

export const find = (policy: Policy, processes: Pick<typeof Processes.Service, "run">) =>
  Effect.gen(function* () {
    if (Host.platform === "linux") return yield* tried(yield* onLinux(policy), policy, processes)
    if (Host.platform === "darwin") return yield* tried(yield* onMac, policy, processes)
    return yield* unavailable(
      `heddle has no sandbox for ${Host.platform}`,
      "start on Linux or macOS, or without --sandbox"
    )
  })
