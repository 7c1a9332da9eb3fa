/** By what means this machine can hold programs. Whether it really can is tried once, with a program that does nothing. */
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { type Environment, type Launcher, type Processes, SpawnFailed } from "../../../services/machine/Processes.ts"
import { type Backend as Name, SandboxUnavailable } from "../../../services/machine/Sandbox.ts"
import * as Engine from "../engine/Engine.ts"
import * as LocalPaths from "../files/LocalPaths.ts"
import * as Spawn from "../processes/spawn/Spawn.ts"
import * as Host from "./system/Host.ts"
import * as LandlockProgram from "./system/LandlockProgram.ts"
import * as PassedBytes from "./system/PassedBytes.ts"
import * as Room from "./system/Room.ts"
import * as Bubblewrap from "./Bubblewrap.ts"
import * as Landlock from "./Landlock.ts"
import { isIn, type Policy, temporary } from "./Policy.ts"
import * as Seatbelt from "./Seatbelt.ts"
import * as Seccomp from "./Seccomp.ts"

export interface Backend {
  readonly name: Name
  /** What it does not hold, beside what no sandbox of heddle does. */
  readonly outside: ReadonlyArray<string>
  /** Why one that holds more cannot be had. */
  readonly instead?: SandboxUnavailable
  /** Closes its descriptors with the scope. */
  readonly hold: (wanted: Wanted) => Effect.Effect<Held, SpawnFailed, Scope.Scope>
}

export interface Wanted {
  readonly policy: Policy
  readonly cwd: string
  /**
   * For the program alone: what holds it is started without them, because the loader of programs obeys some, such as LD_PRELOAD,
   * and would obey the command before it is held.
   */
  readonly variables: Environment
  /** Closes once the program has ended. */
  readonly lasting: Scope.Scope
}

/** How to start what holds a program. */
export interface Held {
  readonly launcher: Launcher
  readonly cwd: string
  readonly env: Environment
}

const install = "install bubblewrap, for example: apt-get install bubblewrap (or dnf, pacman, apk add)"

/** The first descriptors behind the three streams. */
const descriptors = { filter: 3, variables: 4 }

/** What programs need of /run. */
const neededOfRun = () => {
  const resolver = Host.real("/etc/resolv.conf")
  return [
    ...(resolver !== undefined && isIn("/run", resolver) ? [resolver] : []),
    // Where NixOS has its programs.
    ...["/run/current-system", "/run/opengl-driver"].filter(Host.exists)
  ]
}

const bubblewrap = (program: string, filter: Uint8Array): Backend => {
  const found = temporary.filter((path) => Host.real(path) === path)
  const ofRun = neededOfRun()
  return {
    name: "bubblewrap",
    outside: [],
    hold: Effect.fnUntraced(function* ({ cwd, policy, variables }) {
      const files = [yield* PassedBytes.open(filter), yield* PassedBytes.open(Bubblewrap.settingVariables(variables))]
      const words = (reads: ReadonlyArray<string>) =>
        Bubblewrap.words(program, { policy, cwd, temporary: found, ofRun, reads, descriptors })
      return { launcher: { files, words }, cwd, env: {} }
    })
  }
}

/** In a binary of heddle it makes Bun of the binary; Bun itself does not look at it. */
const asBun = { BUN_BE_BUN: "1" }

const landlock = (program: string): Backend => {
  const ofRun = neededOfRun()
  return {
    name: "landlock",
    outside: ["processes", "git", "settings", "temporary_folders", "file_names", "file_attributes"],
    hold: Effect.fnUntraced(function* ({ cwd, lasting, policy, variables }) {
      const problem = Landlock.problem(policy)
      if (problem !== undefined) return yield* new SpawnFailed({ message: `Command could not be started: ${problem}` })
      const room = yield* Scope.extend(Room.make, lasting)
      const refused = { offline: policy.network === "off", filesShared: true }
      const filter = Engine.toBase64(Seccomp.program(Host.arch, refused) ?? new Uint8Array())
      const order = Landlock.order({ policy, cwd, variables, room, ofRun, filter }, Host.entries)
      const files = [yield* PassedBytes.open(order)]
      const words = (reads: ReadonlyArray<string>) => Landlock.words(program, LandlockProgram.text, reads)
      return { launcher: { files, words }, cwd: "/", env: asBun }
    })
  }
}

const seatbelt = (program: string): Backend => ({
  name: "seatbelt",
  outside: ["processes", "temporary_folders"],
  hold: ({ cwd, policy, variables }) =>
    Effect.succeed({
      launcher: { words: () => Seatbelt.words(program, policy, variables), files: [] },
      cwd,
      env: {}
    })
})

type Runs = Pick<typeof Processes.Service, "run">

const unavailable = (reason: string, fix: string) => new SandboxUnavailable({ reason, fix })

/** A command could otherwise put a program of its own in the place of the one that holds it. */
const outsideOf = (policy: Policy, program: string) => !policy.writable.some((folder) => isIn(folder, program))

const withNamespaces = Effect.fnUntraced(function* (policy: Policy) {
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

const withLandlock = Effect.fnUntraced(function* (policy: Policy) {
  const problem = Landlock.problem(policy)
  if (problem !== undefined) return yield* unavailable(problem, install)
  const program = Engine.isBun ? Host.real(Host.execPath) : undefined
  if (program === undefined || !outsideOf(policy, program))
    return yield* unavailable(`${program ?? "Bun"} cannot start commands that Landlock holds`, install)
  return landlock(program)
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
const tried = Effect.fnUntraced(function* (backend: Backend, policy: Policy, { run }: Runs) {
  const bare: Policy = { ...policy, kept: [], absent: [] }
  const started = Effect.gen(function* () {
    const wanted = { policy: bare, cwd: policy.workspace, variables: {}, lasting: yield* Effect.scope }
    const held = yield* backend.hold(wanted)
    return yield* run({ command: ["/bin/sh", "-c", ":"], onOutput: () => true, keepErrors: true, ...held })
  })
  const ended = yield* Effect.mapError(Effect.scoped(started), ({ message }) => unavailable(message, install))
  if (ended.exitCode === 0) return backend
  const words = ended.errors.trim().split("\n", 1).join("")
  return yield* unavailable(`it does not start here (${words || `exit code ${ended.exitCode}`})`, fixFor(ended.errors))
})

/** What this machine has, whatever is asked of it. The folder is on every machine. */
export const here = (processes: Runs) =>
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

/** Landlock holds less, and needs no namespaces: it is for where there are none. */
const onLinux = (policy: Policy, processes: Runs, whole: boolean) => {
  const best = Effect.flatMap(withNamespaces(policy), (backend) => tried(backend, policy, processes))
  if (whole || Seccomp.program(Host.arch) === undefined) return best
  const next = Effect.flatMap(withLandlock(policy), (backend) => tried(backend, policy, processes))
  return Effect.catchAll(best, (instead) =>
    Effect.mapBoth(next, {
      onSuccess: (backend): Backend => ({ ...backend, instead }),
      onFailure: ({ reason }) =>
        unavailable(`${instead.reason}, and Landlock cannot be had either: ${reason}`, instead.fix)
    })
  )
}

/** `whole`: only a means that holds all that a sandbox can will do. */
export const find = (policy: Policy, processes: Runs, whole = false) =>
  Effect.gen(function* () {
    if (Host.platform === "linux") return yield* onLinux(policy, processes, whole)
    if (Host.platform === "darwin") return yield* tried(yield* onMac, policy, processes)
    return yield* unavailable(
      `heddle has no sandbox for ${Host.platform}`,
      "start on Linux or macOS, or without --sandbox"
    )
  })
