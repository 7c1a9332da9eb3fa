/** What /proc says about processes that a test has started: Linux only. */
import { readdirSync, readFileSync } from "node:fs"
import { assert } from "@effect/vitest"
import { Effect } from "effect"

const read = (path: string) => {
  try {
    return readFileSync(path, "latin1")
  } catch {
    return "" // it ended meanwhile
  }
}

const isAlive = (pid: string) => !/\) [ZX] /.test(read(`/proc/${pid}/stat`))

/** Living processes whose environment or command line holds the text. */
export const holding = (text: string): ReadonlyArray<number> =>
  readdirSync("/proc")
    .filter((pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid)
    .filter((pid) => read(`/proc/${pid}/environ`).includes(text) || read(`/proc/${pid}/cmdline`).includes(text))
    .filter(isAlive)
    .map(Number)

/** Looks again every other turn of the event loop until the value fits; a test that waits for ten seconds has failed. */
export const until = <A>(look: () => A, fits: (value: A) => boolean) =>
  Effect.promise(async () => {
    const deadline = performance.now() + 10_000
    let value = look()
    while (!fits(value)) {
      assert.isBelow(performance.now(), deadline, `still ${JSON.stringify(value)}`)
      await new Promise((resume) => setTimeout(resume, 2))
      value = look()
    }
    return value
  })

export const count = (text: string, wanted: number) =>
  until(
    () => holding(text),
    ({ length }) => length === wanted
  )
