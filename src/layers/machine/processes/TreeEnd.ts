/**
 * Ends a family of processes: TERM to all of it, a grace, KILL for what is left. It waits for the events that tell of their
 * end, and looks into /proc for what no event tells of. The grace runs on the Clock; waiting for the kernel to end a
 * process takes real time.
 */
import type * as Clock from "effect/Clock"
import * as Stopwatch from "../../../services/Stopwatch.ts"
import { race, setImmediate, setTimeout } from "../engine/Primordials.ts"
import type { Entry } from "./offspring/ProcFiles.ts"
import * as ProcessScan from "./ProcessScan.ts"

/** Milliseconds after KILL in which survivors are looked for: only a process stuck in the kernel takes that long. */
const patience = 1000
/** Milliseconds until the first look after TERM, if no event comes before, and after an event or KILL. They double. */
const firstWait = 2
const shortWait = 0.5
const longestWait = 25

export const signal = (target: number, name: NodeJS.Signals): void => {
  try {
    process.kill(target, name)
  } catch {
    return // gone already
  }
}

/** A timer takes a millisecond at least. */
export const pause = (ms: number) =>
  new Promise<void>((resume) => (ms < 1 ? setImmediate(resume) : setTimeout(resume, ms)))

/** TERM to each process that is found without a search. Returns those that have got it, groups as negative numbers. */
const signalAll = ({ leaders }: ProcessScan.Family, noted: ReadonlyArray<Entry>): Set<number> => {
  const groups = leaders.map((pid) => -pid)
  const others = noted.filter(({ group }) => !leaders.includes(group)).map(({ pid }) => pid)
  for (const target of [...groups, ...others]) {
    signal(target, "SIGTERM")
    signal(target, "SIGCONT") // a stopped process takes its TERM only when it runs again
  }
  return new Set([...groups, ...noted.map(({ pid }) => pid)])
}

/** Waits for the first event that has not come, but no longer than a time that doubles, and begins again with each event. */
const makeWait = (events: ReadonlyArray<Promise<unknown>>) => {
  const pending = new Set(events)
  let next = firstWait
  const hurry = () => {
    next = shortWait
  }
  for (const event of events) {
    void event.then(() => {
      pending.delete(event)
      hurry()
    })
  }
  const wait = async (longest: number) => {
    const ms = Math.min(next, longest)
    next = Math.min(next * 2, longestWait)
    await race([...pending, pause(ms)])
  }
  return { wait, hurry }
}

/**
 * Each round signals what it finds, so the next one finds whatever has escaped. No process gets TERM twice, and one that
 * got it may start others to tidy up with. An event comes when the family, or most of it, is gone; events never fail. A
 * promise, because every abort passes here and the steps of a fiber would add a tenth to it.
 */
export const endFamily = async (
  family: ProcessScan.Family,
  events: ReadonlyArray<Promise<unknown>>,
  grace: number,
  clock: Clock.Clock
): Promise<void> => {
  const deadline = Stopwatch.read(clock) + grace
  const noted = ProcessScan.noteDescendants(family)
  const signalled = signalAll(family, noted)
  const { hurry, wait } = makeWait(events)
  let isKilled = false
  if (!ProcessScan.ignoreTerm(noted.map(({ pid }) => pid))) await wait(grace)
  for (let empty = 0; ;) {
    const { alive, settled } = ProcessScan.scan(family)
    // On a machine where processes come and go all the time, no scan is ever settled.
    if (alive.length === 0 && (settled || ++empty === 3)) return
    const time = Stopwatch.read(clock)
    if (time > deadline + patience) return
    if (time >= deadline || ProcessScan.ignoreTerm(alive)) {
      for (const target of alive) signal(target, "SIGKILL")
      if (!isKilled) hurry()
      isKilled = true
    } else {
      for (const target of ProcessScan.unsignalled(family, signalled, alive)) {
        signal(target, "SIGTERM")
        signalled.add(target)
      }
    }
    if (alive.length > 0) await wait(time < deadline ? deadline - time : longestWait)
  }
}
