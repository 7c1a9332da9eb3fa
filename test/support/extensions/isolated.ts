/**
 * A process of its own that runs sample extensions through a session, and prints what was reported and notified. Run with
 * the names of the samples. Its own end is heddle's: with code 5, by `Process.exit`.
 */
import { Effect } from "effect"
import * as Process from "../../../src/layers/machine/processes/Process.ts"
import * as TestHost from "./TestHost.ts"

const program = Effect.gen(function* () {
  const { open } = yield* TestHost.make(process.argv.slice(2).map(TestHost.sample))
  const { close, hooks, notes } = yield* open({ reason: "startup" })
  // What extensions left in timers and promises happens here.
  yield* Effect.sleep("100 millis")
  const guards = () => process.listenerCount("uncaughtException") + process.listenerCount("unhandledRejection")
  const during = guards()
  const { kill } = process
  yield* close
  const fences = { during, after: guards(), isKillBack: process.kill !== kill }
  const reports = hooks.reports.map(({ event, location, message, name }) => [
    name.split("/").at(-1),
    event,
    message.slice(0, 200),
    ...(location === undefined ? [] : [location])
  ])
  yield* Process.print(JSON.stringify({ reports, notes, fences }))
  yield* open({ reason: "new" })
  return Process.exit(5)
})

void Effect.runPromise(Effect.scoped(program))
