/** Runs the packages, two at a time: installs each, starts the host with it, checks its behaviours. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Proc from "../support/torture/Proc.ts"
import { brief } from "./host/Frames.ts"
import * as Host from "./host/Host.ts"
import * as Place from "./host/Place.ts"
import * as ChatModel from "../support/ChatModel.ts"
import * as Session from "./host/Session.ts"
import { piSpec, type Target } from "./host/Target.ts"
import * as Npm from "./install/Npm.ts"
import { type Behaviour, expect, nameOf, type Package, same } from "./Package.ts"

export interface Result {
  readonly number: number
  readonly name: string
  readonly title: string
  /** Undefined if the behaviour showed. */
  readonly reason: string | undefined
  readonly ms: number
}

export interface Context {
  readonly root: string
  readonly target: Target
  /** The folder of pi's examples; unpacked at the first use. */
  readonly examples: () => Promise<string>
}

export const reasonOf = (error: unknown): string => {
  if (error instanceof Host.Failure) return error.message
  return `the check itself failed: ${error instanceof Error ? brief(error.stack) : brief(error)}`
}

export const context = (root: string, target: Target): Context => {
  let unpacked: Promise<string> | undefined
  const unpack = async () => {
    const into = join(root, "pi")
    mkdirSync(into, { recursive: true })
    return join(await Npm.unpack(piSpec, into, "examples"), "examples/extensions")
  }
  return { root, target, examples: () => (unpacked ??= unpack()) }
}

const entriesOf = async ({ source }: Package, { packages }: Place.Place, { examples }: Context) => {
  if ("example" in source) return [join(await examples(), source.example)]
  const folder = await (source.bare === true ? Npm.unpack : Npm.install)(source.npm, packages)
  return source.entries.map((entry) => join(folder, entry))
}

const lastTitle = "no extension_error, a clean end, nothing left over"

/** The last check of every package. A host that loads nothing would end cleanly, so a behaviour must have shown. */
const ends =
  (session: Session.Driver, results: ReadonlyArray<Result>): Behaviour["check"] =>
  async ({ place }) => {
    expect(
      results.some(({ reason }) => reason === undefined),
      "no behaviour showed, so a clean end says nothing"
    )
    const host = session.host()
    const errors = host.frames.filter(({ type }) => type === "extension_error")
    expect(errors.length === 0, `extension_error: ${brief(errors[0])}`)
    same(await session.end(), { code: 0, signal: null }, "the exit after the end of stdin")
    same(host.impure, [], "what stdout has beside frames")
    const left = Proc.holding(place.root).map((pid) => `${pid} ${Proc.commandLine(pid)}`)
    same(left, [], "the list of processes left over")
  }

const check = async (behaviours: ReadonlyArray<Behaviour>, session: Session.Driver, report: Report) => {
  for (const { check: run, title } of behaviours) {
    const began = performance.now()
    session.begin()
    const reason = await run(session).then(() => undefined, reasonOf)
    // What the check left running must not be in the way of the next one.
    if (reason !== undefined) await session.request({ type: "abort" }).catch(() => undefined)
    report(title, reason, performance.now() - began)
  }
}

type Report = (title: string, reason: string | undefined, ms: number) => void

export const runPackage = async (pkg: Package, number: number, context: Context): Promise<ReadonlyArray<Result>> => {
  const results: Array<Result> = []
  const report: Report = (title, reason, ms) =>
    void results.push({ number, name: nameOf(pkg), title, reason, ms: Math.round(ms) })
  const model = ChatModel.start()
  const place = Place.make(join(context.root, `${number}`))
  Place.nameModel(place, model.baseUrl)
  const hosts: Array<Host.Host> = []
  try {
    const options = (await entriesOf(pkg, place, context)).flatMap((entry) => ["-e", entry])
    const session = Session.open(place, model, (more) => {
      const host = Host.start(context.target(place, [...options, ...more]))
      hosts.push(host)
      return host
    })
    const last = { title: lastTitle, check: ends(session, results) }
    await session.request({ type: "get_state" })
    await check([...pkg.behaviours, last], session, report)
  } catch (error) {
    for (const title of [...pkg.behaviours.map(({ title }) => title), lastTitle]) report(title, reasonOf(error), 0)
  }
  for (const [at, host] of hosts.entries()) {
    await host.end()
    const lines = host.frames.map((frame) => JSON.stringify(frame))
    writeFileSync(join(place.root, `frames-${at}.jsonl`), `${lines.join("\n")}\n`)
    writeFileSync(join(place.root, `stderr-${at}.txt`), host.stderr())
  }
  writeFileSync(join(place.root, "requests.json"), JSON.stringify(model.requests, undefined, 1))
  model.stop()
  return results
}

/** Two at a time, as many as there are cores on a small machine. */
export const twoAtATime = async <A, B>(items: ReadonlyArray<A>, work: (item: A) => Promise<B>): Promise<Array<B>> => {
  const results: Array<B> = []
  const queue = [...items.entries()]
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) results[next[0]] = await work(next[1])
  }
  await Promise.all([worker(), worker()])
  return results
}
