/** `npm run bench [-- --reps 7 --only start,stream]`. The ratios are more reliable than the times. `--only` names parts below. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import * as Aborts from "./Aborts.ts"
import * as Calls from "./Calls.ts"
import * as Client from "./Client.ts"
import * as Extensions from "./Extensions.ts"
import * as Host from "./Host.ts"
import * as OneShot from "./OneShot.ts"
import * as Proc from "./Proc.ts"
import * as Rules from "./Rules.ts"
import * as Sessions from "./Sessions.ts"
import * as Subagents from "./Subagents.ts"
import * as Terminal from "./Terminal.ts"
import { bun, cli, makePlace, piName, type Place, repo, targets, terminals } from "./Targets.ts"
import * as Worktrees from "./Worktrees.ts"

const { values: flags } = parseArgs({
  options: {
    reps: { type: "string", default: "7" },
    only: { type: "string" }
  }
})
const reps = Number(flags.reps)
const piece = "twenty characters xx"
const forms = ["full", "delta"] as const
const samples: Record<string, unknown> = { bun: Bun.version, reps }

const quantile = (values: ReadonlyArray<number>, q: number) =>
  values.toSorted((a, b) => a - b)[Math.floor(q * (values.length - 1))] ?? NaN
const median = (values: ReadonlyArray<number>) => quantile(values, 0.5)
const fine = (values: ReadonlyArray<number>) => `${median(values).toFixed(1)} (${quantile(values, 0).toFixed(1)})`
const spread = (values: ReadonlyArray<number>) => `${median(values).toFixed(0)} (${quantile(values, 0).toFixed(0)})`
const ratio = (value: number, base: number | undefined) => (base === undefined ? "-" : `${(value / base).toFixed(2)}×`)
const report = (title: string, rows: Record<string, Record<string, string | number>>) => {
  console.log(`\n${title}`)
  console.table(rows)
}

const repeat = async <A>(body: () => Promise<A>) => {
  const results: Array<A> = []
  while (results.length < reps) results.push(await body())
  return results
}
const withHost = async <A>(launch: Host.Launch, use: (host: Host.Host) => Promise<A>) => {
  const host = Host.open(launch)
  try {
    await host.request({ type: "get_state" })
    return await use(host)
  } finally {
    await host.stop()
  }
}

const measureStart = (place: Place, launch: (place: Place) => Host.Launch) =>
  withHost(launch(place), async ({ pid, started }) => {
    const answered = { ms: performance.now() - started, cpu: Proc.cpuMs(pid) }
    await Bun.sleep(1500)
    return { ...answered, rss: Proc.rssMb(pid) }
  })

const start = async (place: Place) => {
  const entries = Object.entries(targets)
  // The targets take turns, so that noise affects all of them. The first round only warms the file cache.
  const round = async () => {
    const seen: Record<string, Awaited<ReturnType<typeof measureStart>>> = {}
    for (const [name, launch] of entries) seen[name] = await measureStart(place, launch)
    return seen
  }
  await round()
  const rounds = await repeat(round)
  const all = (name: string, key: "ms" | "cpu" | "rss") => rounds.map((seen) => seen[name]?.[key] ?? NaN)
  const pi = piName in targets ? { ms: median(all(piName, "ms")), rss: median(all(piName, "rss")) } : undefined
  const row = (name: string) => ({
    "get_state ms": spread(all(name, "ms")),
    "pi / this": pi === undefined ? "-" : ratio(pi.ms, median(all(name, "ms"))),
    "CPU ms": spread(all(name, "cpu")),
    "idle RSS MB": spread(all(name, "rss")),
    "this / pi": ratio(median(all(name, "rss")), pi?.rss)
  })
  report(
    "Spawn to the answer of get_state, and memory 1.5 s later, of the process tree: median (min)",
    Object.fromEntries(entries.map(([name]) => [name, row(name)]))
  )
  samples["start"] = rounds
}

/** The ways take turns, so that noise affects all of them. */
const oneshot = async (place: Place) => {
  const ways = Object.entries(OneShot.ways)
  const round = async () => {
    const seen: Record<string, number> = {}
    for (const [name, way] of ways) seen[name] = await OneShot.firstText(place, way)
    return seen
  }
  await round()
  const rounds = await repeat(round)
  const all = (name: string) => rounds.map((seen) => seen[name] ?? NaN)
  const rpc = median(all("--mode rpc"))
  const row = (name: string) => ({ "first text ms": spread(all(name)), "this / rpc": ratio(median(all(name)), rpc) })
  report(
    "Spawn to the first text of offline/guide: median (min)",
    Object.fromEntries(ways.map(([name]) => [name, row(name)]))
  )
  samples["oneshot"] = rounds
}

const streaming = (place: Place, form: (typeof forms)[number], deltas: number, ...options: ReadonlyArray<string>) => {
  const file = join(place.work, `stream-${deltas}.json`)
  const steps = [{ text: piece, chunk: piece.length, repeat: deltas }]
  writeFileSync(file, JSON.stringify({ turns: [{ steps }], atEnd: "repeat" }))
  return cli(place, "--model", "offline/script", "--set", `offline.scenario=${file}`, "--rpc-updates", form, ...options)
}

const textLength = ({ message }: Host.Frame) => {
  const content = Host.isFrame(message) && message["role"] === "assistant" ? message["content"] : undefined
  const blocks: ReadonlyArray<unknown> = Array.isArray(content) ? content : []
  return blocks
    .map((block) => (Host.isFrame(block) ? String(block["text"] ?? "").length : 0))
    .reduce((a, b) => a + b, 0)
}

const measureStream = (launch: Host.Launch) => withHost(launch, measureRun)

const measureRun = async ({ counted, pid, request, waitFor }: Host.Host) => {
  const before = { cpu: Proc.cpuMs(pid), bytes: counted.bytes, at: performance.now() }
  const message = waitFor("answer of the model", (frame) => frame["type"] === "message_end" && textLength(frame) > 9)
  const end = waitFor("agent_end", (frame) => frame["type"] === "agent_end")
  await Promise.all([request({ type: "prompt", message: "go" }), message, end])
  const ms = performance.now() - before.at
  const cpu = Proc.cpuMs(pid) - before.cpu
  const { bytes, updates } = counted
  return { ms, cpu, kb: (bytes - before.bytes) / 1024, updates, characters: textLength(await message) }
}

const stream = async (place: Place) => {
  for (const form of forms) {
    const rows: Record<string, Record<string, string | number>> = {}
    let half: { readonly ms: number; readonly cpu: number; readonly kb: number } | undefined
    for (const deltas of [5_000, 10_000, 20_000, 40_000]) {
      const runs = await repeat(() => measureStream(streaming(place, form, deltas)))
      const middle = (key: "ms" | "cpu" | "kb" | "updates") => Math.round(median(runs.map((run) => run[key])))
      const now = { ms: middle("ms"), cpu: middle("cpu"), kb: middle("kb") }
      rows[`${deltas} deltas`] = {
        ms: now.ms,
        "ms 2N/N": ratio(now.ms, half?.ms),
        "CPU ms": now.cpu,
        "CPU 2N/N": ratio(now.cpu, half?.cpu),
        "stdout KB": now.kb,
        "KB 2N/N": ratio(now.kb, half?.kb),
        updates: middle("updates"),
        text: runs.every((run) => run.characters === deltas * piece.length) ? "complete" : "NOT COMPLETE"
      }
      half = now
      samples[`stream ${form} ${deltas}`] = runs
    }
    report(`Streams of text deltas in ${form} form, medians`, rows)
  }
}

/** The same stream without rules, and with 200 of them that watch it; the two take turns. */
const rules = async (place: Place) => {
  const deltas = 20_000
  const file = Rules.write(place.work, { rules: 200, deltas })
  const launch = (...options: ReadonlyArray<string>) =>
    cli(place, "--model", "offline/script", "--set", `offline.scenario=${file}`, "--rpc-updates", "delta", ...options)
  /** The first prompt reads the rules and sees new text, the second one streams only. */
  const twice = (...options: ReadonlyArray<string>) =>
    withHost(launch(...options), async (host) => [await measureRun(host), await measureRun(host)] as const)
  const rounds = await repeat(async () => ({ without: await twice("--no-rules"), with: await twice() }))
  Rules.remove(place.work)
  const row = (prompt: 0 | 1, key: "ms" | "cpu") => {
    const [base, watched] = [
      rounds.map((round) => round.without[prompt][key]),
      rounds.map((round) => round.with[prompt][key])
    ]
    return { "no rules": spread(base), "200 rules": spread(watched), ratio: ratio(median(watched), median(base)) }
  }
  report(`${deltas} deltas of varied text with 200 rules`, {
    "first prompt ms": row(0, "ms"),
    "first prompt CPU ms": row(0, "cpu"),
    "second prompt ms": row(1, "ms"),
    "second prompt CPU ms": row(1, "cpu")
  })
  samples["rules"] = rounds
}

/** Sends `get_state` again and again while the run lasts, and returns the times of the answers. */
const askDuringRun = async ({ request, waitFor }: Host.Host) => {
  const seen: Array<number> = []
  let running = true
  const end = waitFor("agent_end", (frame) => frame["type"] === "agent_end" && !(running = false))
  await request({ type: "prompt", message: "go" })
  while (running) {
    const sent = performance.now()
    await request({ type: "get_state" })
    if (running) seen.push(performance.now() - sent)
  }
  await end
  return seen
}

const latency = async (place: Place) => {
  const rows: Record<string, Record<string, string | number>> = {}
  for (const form of forms) {
    const launch = streaming(place, form, 40_000)
    const seen = (await repeat(() => withHost(launch, (host) => repeat(() => askDuringRun(host))))).flat(2)
    const at = (q: number) => quantile(seen, q).toFixed(1)
    rows[form] = { answers: seen.length, "p50 ms": at(0.5), "p99 ms": at(0.99), "max ms": at(1) }
    samples[`latency ${form}`] = seen
  }
  report("get_state while a stream of 40000 deltas runs at full speed, repeated", rows)
}

const pipeline = async (place: Place) => {
  const count = 20_000
  const commands = Array.from({ length: count }, (_, n) => `{"id":"n${n}","type":"get_state"}\n`).join("")
  const ask = () =>
    withHost(cli(place), async ({ waitFor, write }) => {
      const sent = performance.now()
      let next = 0
      const all = waitFor("all answers in order", ({ id }) => id === `n${next}` && ++next === count)
      write(commands)
      await all
      return performance.now() - sent
    })
  const ms = await repeat(ask)
  const perSecond = Math.round((count / median(ms)) * 1000)
  report("get_state in one write, answered in order", { [count]: { ms: spread(ms), "per second": perSecond } })
  samples["pipeline"] = ms
}

const sizes = [0, 10_000, 100_000] as const

/** The sizes take turns, so that noise affects all of them. Size 0 is the baseline. */
const sessions = async (place: Place) => {
  const file = (messages: number) => join(place.home, `${messages}.jsonl`)
  const mb = new Map(sizes.map((size) => [size, Sessions.write(file(size), place.work, size)]))
  const open = (size: number) => measureStart(place, () => cli(place, "--session", file(size)))
  const seen: Record<number, Array<Awaited<ReturnType<typeof measureStart>>>> = {}
  for (let round = 0; round < reps; round++) for (const size of sizes) (seen[size] ??= []).push(await open(size))
  const middle = (size: number, key: "ms" | "cpu" | "rss") => median((seen[size] ?? []).map((one) => one[key]))
  const rows: Record<string, Record<string, string | number>> = {}
  for (const size of sizes) {
    const above = middle(size, "rss") - middle(0, "rss")
    rows[`${size} messages`] = {
      "file MB": (mb.get(size) ?? 0).toFixed(1),
      "get_state ms": spread((seen[size] ?? []).map(({ ms }) => ms)),
      "ms over empty": Math.round(middle(size, "ms") - middle(0, "ms")),
      "RSS over empty MB": above.toFixed(1),
      "RSS / file": size === 0 ? "-" : ratio(above * 1.048576, mb.get(size)),
      "append us": (await Sessions.appendCost(size, 2000)).toFixed(0)
    }
  }
  samples["sessions"] = seen
  report("Opening a session: spawn to the answer of get_state, memory after 1.5 s, and an append to it", rows)
}

type Cost = { readonly ms: number; readonly cpu: number }

/** Measures without and with extensions in turns, so that noise affects both, and reports the ratio. */
const compare = async (
  title: string,
  measure: (...options: ReadonlyArray<string>) => Promise<Cost>,
  folder: string
) => {
  const seen: Record<"none" | "ten", Array<Cost>> = { none: [], ten: [] }
  await measure("-e", folder) // warms the file cache
  for (let round = 0; round < reps; round++) {
    seen.none.push(await measure())
    seen.ten.push(await measure("-e", folder))
  }
  const all = (name: keyof typeof seen, key: keyof Cost) => seen[name].map((cost) => cost[key])
  const row = (name: keyof typeof seen) => ({
    ms: spread(all(name, "ms")),
    "ms over none": Math.round(median(all(name, "ms")) - median(all("none", "ms"))),
    "ms / none": ratio(median(all(name, "ms")), median(all("none", "ms"))),
    "CPU ms": spread(all(name, "cpu")),
    "CPU / none": ratio(median(all(name, "cpu")), median(all("none", "cpu")))
  })
  report(`${title}: median (min)`, { none: row("none"), ten: row("ten") })
  samples[title] = seen
}

/** Until extensions have joined the first session, or would have. */
const measureJoin = async (launch: Host.Launch): Promise<Cost> => {
  const host = Host.open(launch)
  try {
    await host.waitFor("startup", (frame) => frame["type"] === "startup" && frame["phase"] === "done")
    return { ms: performance.now() - host.started, cpu: Proc.cpuMs(host.pid) }
  } finally {
    await host.stop()
  }
}

const extensions = async (place: Place) => {
  const [small, watching] = [Extensions.writeSmall(place.work), Extensions.writeWatching(place.work)]
  await compare(
    "Spawn to the end of the start, without and with ten small extensions",
    (...options) => measureJoin(cli(place, ...options)),
    small
  )
  for (const form of forms)
    await compare(
      `20000 deltas in ${form} form, without and with ten handlers of message_update`,
      (...options) => measureStream(streaming(place, form, 20_000, ...options)),
      watching
    )
}

const subagents = async (place: Place) => {
  const launch = Subagents.spawning(place)
  const cold = await repeat(() => withHost(launch, (host) => Subagents.measureSpawn(host, 0)))
  const warm = await repeat(() => withHost(launch, (host) => Subagents.measureSpawn(host, 10)))
  const row = (runs: typeof cold) => {
    const over = runs.map(({ plain, task }) => task - plain)
    return {
      "plain prompt ms": spread(runs.map(({ plain }) => plain)),
      "call of task ms": spread(runs.map(({ task }) => task)),
      "over the prompt ms": median(over).toFixed(1)
    }
  }
  report("A call of task with one subagent against a plain prompt: median (min)", {
    "first in its process": row(cold),
    "after ten of each": row(warm)
  })
  const many = await repeat(() => withHost(Subagents.waiting(place), Subagents.measureMany))
  const answers = many.flatMap((run) => run.answers)
  report("32 subagents that wait for their models", {
    "32": {
      "MB each": median(many.map(({ mbEach }) => mbEach)).toFixed(2),
      "get_state p50 ms": quantile(answers, 0.5).toFixed(1),
      "p99 ms": quantile(answers, 0.99).toFixed(1),
      "max ms": quantile(answers, 1).toFixed(1),
      "abort of all ms": spread(many.map(({ abortMs }) => abortMs))
    }
  })
  samples["subagents"] = { cold, warm, many }
}

/** The client and a bare reader take turns. */
const client = async ({ work }: Place) => {
  const rows: Record<string, Record<string, string | number>> = {}
  for (const deltas of [20_000, 100_000]) {
    const file = Client.write(work, deltas)
    await Client.client(file) // compiles both
    await Client.raw(file)
    const rounds = await repeat(async () => ({ raw: await Client.raw(file), client: await Client.client(file) }))
    const all = (name: "raw" | "client", key: "ms" | "cpu") => rounds.map((round) => round[name][key])
    const overhead = median(rounds.map(({ client, raw }) => ((client.ms - raw.ms) * 1000) / deltas))
    rows[`${deltas} deltas`] = {
      "raw ms": spread(all("raw", "ms")),
      "client ms": spread(all("client", "ms")),
      "client / raw": ratio(median(all("client", "ms")), median(all("raw", "ms"))),
      "CPU / raw": ratio(median(all("client", "cpu")), median(all("raw", "cpu"))),
      "us per delta over raw": overhead.toFixed(2),
      text: rounds.every(({ client, raw }) => client.characters === raw.characters) ? "complete" : "NOT COMPLETE"
    }
    samples[`client ${deltas}`] = rounds
  }
  report("The client over a reader that splits and parses, medians", rows)
}

/** The interactive session in a pseudo-terminal: its prompt, and answers of growing length, which are drawn as they come. */
const terminal = async (place: Place) => {
  const shown: Record<string, Record<string, string>> = {}
  for (const [name, launch] of Object.entries(terminals)) {
    await Terminal.start(launch(place)) // warms the file cache
    const runs = await repeat(() => Terminal.start(launch(place)))
    shown[name] = {
      "prompt ms": spread(runs.map(({ promptMs }) => promptMs)),
      "status ms": spread(runs.map(({ readyMs }) => readyMs)),
      "idle RSS MB": spread(runs.map(({ rss }) => rss))
    }
    samples[`terminal ${name}`] = runs
  }
  report("Spawn to the prompt on a terminal (at most 80 ms), and to the status line: median (min)", shown)
  const rows: Record<string, Record<string, string | number>> = {}
  let half: { readonly ms: number; readonly cpu: number } | undefined
  for (const deltas of [5_000, 10_000, 20_000, 40_000]) {
    const file = join(place.work, `terminal-${deltas}.json`)
    const steps = [{ text: piece, chunk: piece.length, repeat: deltas }, { wait: 1 }, { text: "the_end" }]
    writeFileSync(file, JSON.stringify({ turns: [{ steps }], atEnd: "repeat" }))
    const [launch] = Object.values(terminals)
    if (launch === undefined) return
    const options = ["--model", "offline/script", "--set", `offline.scenario=${file}`]
    const runs = await repeat(() => Terminal.answer(launch(place, ...options), "the_end"))
    const now = { ms: median(runs.map(({ ms }) => ms)), cpu: median(runs.map(({ cpu }) => cpu)) }
    rows[`${deltas} deltas`] = {
      ms: Math.round(now.ms),
      "ms 2N/N": ratio(now.ms, half?.ms),
      "CPU ms": Math.round(now.cpu),
      "CPU 2N/N": ratio(now.cpu, half?.cpu),
      "KB written": Math.round(median(runs.map(({ kb }) => kb)))
    }
    half = now
    samples[`terminal answer ${deltas}`] = runs
  }
  report("Answers of one line on a terminal, drawn as they come, medians", rows)
}

/** The two take turns, so that noise affects both. */
const worktrees = async ({ work }: Place) => {
  const repository = join(work, "large-repository")
  Worktrees.write(repository, 10_000, 100)
  const round = async () => ({
    plain: await Worktrees.plain(repository, join(work, "copy")),
    isolated: await Worktrees.isolated(repository, join(work, "wt"))
  })
  await round() // warms the file cache
  const rounds = await repeat(round)
  const all = (key: "plain" | "isolated") => rounds.map((one) => one[key])
  report("A worktree of 10000 files, 100 of them dirty, beside git worktree add: median (min)", {
    "git worktree add": { ms: spread(all("plain")), ratio: "-" },
    "isolated task": { ms: spread(all("isolated")), ratio: ratio(median(all("isolated")), median(all("plain"))) }
  })
  rmSync(repository, { recursive: true })
  samples["worktrees"] = rounds
}

/** The programs take turns, so that noise affects both. */
const aborts = async (place: Place) => {
  for (const [times, warmUps] of [
    ["first in its process", 0],
    ["after five", 5]
  ] as const) {
    const rows: Record<string, Record<string, string>> = {}
    for (const [name, command] of Object.entries(Aborts.commands)) {
      const seen: Record<string, Array<number>> = {}
      const round = async () => {
        for (const [program, open] of Object.entries(Aborts.programs)) {
          const target = open(place, command)
          if (target === undefined) continue
          const ms = await withHost(target.launch, (host) => Aborts.measure(host, warmUps)).finally(target.stop)
          ;(seen[program] ??= []).push(ms)
        }
      }
      await repeat(round)
      rows[name] = Object.fromEntries(Object.entries(seen).map(([program, all]) => [`${program} ms`, fine(all)]))
      samples[`abort, ${times}, ${name}`] = seen
    }
    report(`Abort of a running command to agent_end and answer, ${times}: median (min)`, rows)
  }
}

/** The ways take turns, so that noise affects all of them. A sandbox needs bubblewrap. */
const calls = async (place: Place) => {
  const options = Calls.options(place)
  const seen: Record<string, Array<number>> = {}
  await repeat(async () => {
    for (const [name, more] of Object.entries(Calls.ways))
      (seen[name] ??= []).push(await withHost(cli(place, ...options, ...more), Calls.measure))
  })
  const [plain = []] = Object.values(seen)
  const rows = Object.entries(seen).map(([name, all]) => {
    const more = (median(all) - median(plain)).toFixed(2)
    return [name, { "ms a turn": fine(all), "more ms": more, ratio: ratio(median(all), median(plain)) }] as const
  })
  report("A turn that runs `true` in bash: median (min)", Object.fromEntries(rows))
  samples["calls"] = seen
}

if (process.platform !== "linux") {
  console.error("bench: CPU time and memory are read from /proc, so it needs Linux")
  process.exit(1)
}
// Measures the bundle, which users start, not the source.
if (!Bun.spawnSync([bun, "scripts/build.ts"], { cwd: repo, stderr: "inherit" }).success) process.exit(1)
const place = makePlace()
const parts: Record<string, (place: Place) => Promise<void>> = {
  start,
  oneshot,
  stream,
  rules,
  latency,
  aborts,
  calls,
  pipeline,
  sessions,
  extensions,
  subagents,
  client,
  terminal,
  worktrees
}
try {
  for (const name of flags.only?.split(",") ?? Object.keys(parts)) await parts[name]?.(place)
} finally {
  place.remove()
}
mkdirSync(join(repo, "bench-results"), { recursive: true })
const file = `bench-results/${new Date().toISOString().replaceAll(":", "-")}.json`
writeFileSync(join(repo, file), JSON.stringify(samples, undefined, 1))
console.log(`\nEvery sample is in ${file}`)
