/**
 * Ways out of the sandbox, over the real command, as root and as an ordinary user. Each stands beside a control in the same command,
 * which proves that the sandbox has started and lets write what it should. Those that can be shown to work are shown to, without it.
 */
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import * as Agent from "../../support/torture/Agent.ts"
import * as Heddle from "../../support/torture/Heddle.ts"
import type { Context, Part } from "../../support/torture/Part.ts"
import * as Attempts from "./Attempts.ts"
import * as Ground from "./Ground.ts"

interface User {
  readonly name: "root" | "ordinary user"
  readonly uid: number | undefined
  readonly base: string
  readonly prefix: ReadonlyArray<string>
}

const nobody = 65534

/** What this machine can be tried as. */
export const users = (): ReadonlyArray<User> => {
  if (process.getuid?.() !== 0) return [{ name: "ordinary user", uid: undefined, base: homedir(), prefix: [] }]
  const drop = ["setpriv", `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups"]
  return [
    { name: "root", uid: undefined, base: "/var/lib", prefix: [] },
    { name: "ordinary user", uid: nobody, base: "/var/lib", prefix: drop }
  ]
}

const waitMs = 30_000

const environment = (ground: Ground.Ground) => ({
  PATH: process.env["PATH"] ?? "/usr/bin:/bin",
  HOME: ground.home,
  LANG: "C.UTF-8",
  HEDDLE_AGENT_DIR: ground.agentDir,
  // Variables whose names begin with XDG_ pass to plain commands.
  XDG_TORTURE_PASSWORDS: "no secret",
  SSH_AUTH_SOCK: ground.socket,
  DOCKER_HOST: `unix://${ground.socket}`,
  DBUS_SESSION_BUS_ADDRESS: `unix:path=${ground.socket}`,
  GIT_DIR: "/nowhere"
})

const start = (ground: Ground.Ground, user: User, args: ReadonlyArray<string>) =>
  Agent.start({
    command: [
      ...user.prefix,
      Heddle.bun,
      "--no-env-file",
      Heddle.entry,
      "--mode",
      "rpc",
      "--no-session",
      "--model",
      "offline/guide",
      ...args
    ],
    cwd: ground.work,
    env: environment(ground)
  })

const outputOf = (frame: Agent.Frame | undefined): string => {
  const data: unknown = frame?.["data"]
  return typeof data === "object" && data !== null && "output" in data ? String(data.output) : ""
}

const bash = async (agent: Agent.Agent, command: string) =>
  outputOf(await agent.request({ type: "bash", command, excludeFromContext: true, timeout: 20 }, waitMs))

/** Processes of the machine that a command has left. */
const survivors = () =>
  readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").startsWith("heddle-survivor")
    } catch {
      return false // it has ended
    }
  })

interface Run {
  readonly agent: Agent.Agent
  readonly ground: Ground.Ground
  readonly user: User
  readonly context: Context
}

let controls = 0

/** What it printed; undefined where the control says that nothing ran as it should. */
const tried = async ({ agent, ground }: Run, { first, script }: Attempts.Attempt) => {
  if (first !== undefined) await bash(agent, first)
  const control = `control-${++controls}`
  const output = await bash(agent, `cat file && touch ${control} && echo ${control}\n${script}`)
  const path = join(ground.work, control)
  const isSound = output.startsWith(`inside\n${control}\n`) && existsSync(path)
  rmSync(path, { force: true })
  return isSound ? output : undefined
}

const attempt = async (run: Run, one: Attempts.Attempt) => {
  const { context, user } = run
  const name = `${user.name}: ${one.name}`
  context.figures.cases++
  const output = await tried(run, one)
  if (output === undefined)
    return context.violate("lost", `${name}: the control did not run: ${run.agent.stderr().slice(-300)}`, one.name)
  if (output.includes("ESCAPED"))
    context.violate(undefined, `${name} got out: ${output.trim().split("\n").at(-1)}`, one.name)
  const left = survivors()
  if (left.length > 0) context.violate("left", `${name}: processes are left: ${left.join(", ")}`, one.name)
}

/** How many of the attempts get out where nothing holds them: they are no straw men. */
const shown = async (run: Run, attempts: ReadonlyArray<Attempts.Attempt>) => {
  let works = 0
  const harmless = attempts.filter(({ isShown }) => isShown !== false)
  for (const one of harmless) if (run.context.goesOn() && (await tried(run, one))?.includes("ESCAPED") === true) works++
  return `${works} of ${harmless.length} that can be tried without the sandbox get out there`
}

const firstAddress = (pid: number): string => {
  try {
    return `0x${readFileSync(`/proc/${pid}/maps`, "utf8").split("-", 1).join("")}`
  } catch {
    return "0"
  }
}

const around = (ground: Ground.Ground, agent: Agent.Agent): Attempts.Surroundings => ({
  ...ground,
  pid: agent.pid,
  memory: firstAddress(agent.pid),
  bun: Heddle.bun,
  probe: join(import.meta.dirname, "probe.js")
})

const isHeld = async (agent: Agent.Agent) =>
  JSON.stringify(await agent.request({ type: "get_state" }, waitMs)).includes('"backend":"bubblewrap"')

const attack = async (context: Context, user: User) => {
  const { bounds, only, random } = context
  const ground = await Ground.make(user.base, user.uid)
  const limits = ["--set", "sandbox.tmpBytes=8388608", "--set", `sandbox.hidden=["${ground.root}/hidden"]`]
  const agent = start(ground, user, ["--sandbox", "workspace-write", ...limits])
  const run = { agent, ground, user, context }
  if (!(await isHeld(agent))) {
    context.violate("deaths", `${user.name}: the sandbox cannot be had: ${agent.stderr().slice(-300)}`)
    return ground.remove()
  }
  const every = Attempts.all(around(ground, agent))
  const order = every.map((one) => ({ one, at: random.int(1_000_000) })).toSorted((a, b) => a.at - b.at)
  const chosen =
    only === undefined ? order.map(({ one }) => one).slice(0, bounds.cases) : every.filter(({ name }) => name === only)
  const before = context.figures.violations.length
  const begun = context.figures.cases
  for (const one of chosen) if (context.goesOn()) await attempt(run, one)
  const done = context.figures.cases - begun
  await Agent.close(agent)
  const note = `${user.name}: ${context.figures.violations.length - before} of ${done} attempts got out or failed`
  const isWhole = only === undefined && bounds.cases >= every.length
  if (isWhole) {
    const open = start(ground, user, ["--sandbox", "workspace-write", "--network", "on", ...limits])
    for (const one of Attempts.withNetwork(around(ground, open))) await attempt({ ...run, agent: open }, one)
    await Agent.close(open)
    const plain = start(ground, user, [])
    context.figures.notes.push(`${note}; ${await shown({ ...run, agent: plain }, Attempts.all(around(ground, plain)))}`)
    await Agent.close(plain)
  } else context.figures.notes.push(note)
  await ground.remove()
}

const missing = "the sandbox needs bubblewrap (bwrap), which is not installed: NOTHING WAS TRIED"

const run = async (context: Context) => {
  if (Bun.which("bwrap") === null) {
    context.figures.notes.push(missing)
    return console.error(missing)
  }
  const found = users()
  if (found.length === 1) context.figures.notes.push("not started as root: nothing was tried as root")
  for (const user of found) await attack(context, user)
}

export const part: Part = {
  summary: "ways out of the sandbox, as root and as an ordinary user",
  bounds: {
    short: { cases: 12, seconds: 20 },
    standard: { cases: 1000, seconds: 600 },
    full: { cases: 1000, seconds: 3600 }
  },
  run
}
