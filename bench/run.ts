/** `npm run bench [-- --reps 7 --only start,stream,latency,pipeline]`. Trust the ratios, not the milliseconds. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import * as Host from "./Host.ts"
import * as Proc from "./Proc.ts"
import { built, bun, makePlace, piName, type Place, targets } from "./Targets.ts"

if (process.platform !== "linux") {
  console.error("bench: CPU and memory are read from /proc, so it needs Linux")
  process.exit(1)
}
const { values: flags } = parseArgs({
  options: {
    reps: { type: "string", default: "7" },
    only: { type: "string", default: "start,stream,latency,pipeline" }
  }
})
const reps = Number(flags.reps)
const piece = "twenty characters xx"
const forms = ["full", "delta"] as const
const results: Record<string, unknown> = { date: new Date().toISOString(), bun: Bun.version, reps }

const sorted = (values: ReadonlyArray<number>) => values.toSorted((a, b) => a - b)
const quantile = (values: ReadonlyArray<number>, q: number) =>
  sorted(values)[Math.floor(q * (values.length - 1))] ?? NaN
const median = (values: ReadonlyArray<number>) => quantile(values, 0.5)
const min = (values: ReadonlyArray<number>) => quantile(values, 0)
const times = (value: number) => `${value.toFixed(2)}×`
const spread = (values: ReadonlyArray<number>) => `${median(values).toFixed(0)} (${min(values).toFixed(0)})`

const report = (title: string, rows: ReadonlyArray<Record<string, string | number>>) => {
  const names = Object.keys(rows[0] ?? {})
  const lines = [names, ...rows.map((row) => names.map((name) => String(row[name])))]
  const widths = names.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? "").length)))
  console.log(`\n${title}`)
  for (const line of lines) {
    const [first = "", ...rest] = line.map((cell, i) =>
      i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)
    )
    console.log(`  ${[first, ...rest].join("   ")}`)
  }
}

const withHost = async <A>(launch: Host.Launch, use: (host: ReturnType<typeof Host.open>) => Promise<A>) => {
  const host = Host.open(launch)
  try {
    return await use(host)
  } finally {
    await host.stop()
  }
}

const measureStart = (place: Place, launch: (place: Place) => Host.Launch) =>
  withHost(launch(place), async (host) => {
    await host.request({ type: "get_state" })
    const ms = performance.now() - host.started
    const cpu = Proc.cpuMs(host.pid)
    await Bun.sleep(1500)
    return { ms, cpu, rss: Proc.rssMb(host.pid) }
  })

const start = async (place: Place) => {
  const samples = Object.entries(targets).map(([name, launch]) => ({
    name,
    launch,
    seen: { ms: [0], cpu: [0], rss: [0] }
  }))
  for (const { launch } of samples) await measureStart(place, launch) // warms the file cache, makes first-run files
  for (const { seen } of samples) seen.ms.length = seen.cpu.length = seen.rss.length = 0
  for (let rep = 0; rep < reps; rep++) {
    for (const { launch, seen } of samples) {
      const { cpu, ms, rss } = await measureStart(place, launch)
      seen.ms.push(ms)
      seen.cpu.push(cpu)
      seen.rss.push(rss)
    }
  }
  const pi = samples.find(({ name }) => name === piName)?.seen
  const rows = samples.map(({ name, seen }) => ({
    "started as": name,
    "get_state ms": spread(seen.ms),
    "faster than pi": pi === undefined ? "-" : times(median(pi.ms) / median(seen.ms)),
    "CPU ms": spread(seen.cpu),
    "idle RSS MB": spread(seen.rss),
    "RSS of pi": pi === undefined ? "-" : times(median(seen.rss) / median(pi.rss))
  }))
  report("Spawn to the answer of get_state, and 1.5 s later: median (min) of the process tree", rows)
  results["start"] = samples.map(({ name, seen }) => ({ name, ...seen }))
}

const streaming = (place: Place, form: (typeof forms)[number], deltas: number) => {
  const file = join(place.work, `stream-${deltas}.json`)
  const steps = [{ text: piece, chunk: piece.length, repeat: deltas }]
  writeFileSync(file, JSON.stringify({ turns: [{ steps }], atEnd: "repeat" }))
  return built(place, "--model", "offline/script", "--set", `offline.scenario=${file}`, "--rpc-updates", form)
}

const textLength = (frame: Host.Frame) => {
  const message = frame["message"]
  const content = Host.isFrame(message) && message["role"] === "assistant" ? message["content"] : []
  const blocks: ReadonlyArray<unknown> = Array.isArray(content) ? content : []
  return blocks.reduce<number>((total, block) => {
    const text = Host.isFrame(block) ? block["text"] : undefined
    return total + (typeof text === "string" ? text.length : 0)
  }, 0)
}

const measureStream = (launch: Host.Launch) =>
  withHost(launch, async (host) => {
    await host.request({ type: "get_state" })
    const before = { cpu: Proc.cpuMs(host.pid), bytes: host.counted.bytes, at: performance.now() }
    const message = host.waitFor("answer of the model", (f) => f["type"] === "message_end" && textLength(f) > 0)
    const end = host.waitFor("agent_end", (f) => f["type"] === "agent_end")
    await Promise.all([host.request({ type: "prompt", message: "go" }), message, end])
    return {
      ms: performance.now() - before.at,
      cpu: Proc.cpuMs(host.pid) - before.cpu,
      bytes: host.counted.bytes - before.bytes,
      updates: host.counted.updates,
      characters: textLength(await message)
    }
  })

const stream = async (place: Place) => {
  for (const form of forms) {
    const rows = []
    let half: { ms: number; cpu: number; bytes: number } | undefined
    for (const deltas of [5_000, 10_000, 20_000, 40_000]) {
      const launch = streaming(place, form, deltas)
      const runs: Array<Awaited<ReturnType<typeof measureStream>>> = []
      for (let rep = 0; rep < reps; rep++) runs.push(await measureStream(launch))
      const middle = (key: "ms" | "cpu" | "bytes" | "updates") => median(runs.map((run) => run[key]))
      const now = { ms: middle("ms"), cpu: middle("cpu"), bytes: middle("bytes") }
      const ratio = (key: keyof typeof now) => (half === undefined ? "-" : times(now[key] / half[key]))
      rows.push({
        deltas,
        ms: now.ms.toFixed(0),
        "of half": ratio("ms"),
        "CPU ms": now.cpu.toFixed(0),
        "of half ": ratio("cpu"),
        "stdout KB": (now.bytes / 1024).toFixed(0),
        "of half  ": ratio("bytes"),
        updates: middle("updates"),
        text: runs.every((run) => run.characters === deltas * piece.length) ? "complete" : "NOT COMPLETE"
      })
      half = now
      results[`stream ${form} ${deltas}`] = runs
    }
    report(`Streams of text deltas, ${form} form, medians (linear: of half is 2×)`, rows)
  }
}

const latency = async (place: Place) => {
  const rows = []
  for (const form of forms) {
    const samples = await withHost(streaming(place, form, 40_000), async (host) => {
      const seen: Array<number> = []
      await host.request({ type: "get_state" })
      for (let round = 0; round < 10 * reps && seen.length < 2000; round++) {
        let running = true
        const end = host.waitFor("agent_end", (f) => f["type"] === "agent_end").then(() => (running = false))
        await host.request({ type: "prompt", message: "go" })
        while (running) {
          const sent = performance.now()
          await host.request({ type: "get_state" })
          if (running) seen.push(performance.now() - sent)
        }
        await end
      }
      return seen
    })
    const at = (q: number) => quantile(samples, q).toFixed(1)
    rows.push({ form, answers: samples.length, "p50 ms": at(0.5), "p99 ms": at(0.99), "max ms": at(1) })
    results[`latency ${form}`] = samples
  }
  report("get_state while a stream of 40000 deltas runs at full speed, again and again", rows)
}

const pipeline = async (place: Place) => {
  const count = 20_000
  const seconds: Array<number> = []
  for (let rep = 0; rep < reps; rep++) {
    await withHost(built(place), async (host) => {
      await host.request({ type: "get_state" })
      const sent = performance.now()
      let answered = 0
      const all = host.waitFor(
        "all answers",
        (f) => f["type"] === "response" && f["id"] === `n${answered}` && ++answered === count
      )
      host.write(Array.from({ length: count }, (_, n) => `{"id":"n${n}","type":"get_state"}\n`).join(""))
      await all
      seconds.push((performance.now() - sent) / 1000)
    })
  }
  const row = {
    answers: count,
    "ms (min)": spread(seconds.map((s) => s * 1000)),
    "per second": Math.round(count / median(seconds))
  }
  report("get_state 20000 times in one write, answers in order", [row])
  results["pipeline"] = seconds
}

const parts: Record<string, (place: Place) => Promise<void>> = { start, stream, latency, pipeline }
const build = Bun.spawnSync([bun, "scripts/build.ts"], { cwd: resolve(import.meta.dir, ".."), stderr: "inherit" })
if (!build.success) process.exit(1) // what starts from source is not what users start
const place = makePlace()
try {
  for (const name of flags.only.split(",")) await parts[name]?.(place)
} finally {
  place.remove()
}
const folder = resolve(import.meta.dir, "../bench-results")
mkdirSync(folder, { recursive: true })
const file = join(folder, `${new Date().toISOString().replaceAll(":", "-")}.json`)
writeFileSync(file, JSON.stringify(results, undefined, 1))
console.log(`\nevery sample: bench-results/${file.slice(folder.length + 1)}`)
