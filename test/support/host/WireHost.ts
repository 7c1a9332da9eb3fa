/** A host that is served with sessions of its own, in this process, and every frame that it has got. */
import { Effect, Fiber, Predicate } from "effect"
import * as EventLoop from "../../../src/layers/platform/EventLoop.ts"
import * as Server from "../../../src/rpc/Server.ts"
import { Sessions } from "../../../src/services/session/Sessions.ts"
import * as TestHost from "./TestHost.ts"

export type Frame = Readonly<Record<string, unknown>>

const parsed = (line: string): Frame => {
  const frame: unknown = JSON.parse(line)
  return Predicate.isReadonlyRecord(frame) ? frame : {}
}

const isResponse = ({ type }: Frame) => type === "response"

/** The sessions that records are of, in the order of their first record. */
export const idsIn = (frames: ReadonlyArray<Frame>) => [...new Set(frames.map(({ sessionId }) => sessionId))]

export const settled = ({ type }: Frame) => type === "session_settled"

export const connect = Effect.fnUntraced(function* (sessions: typeof Sessions.Service) {
  const host = yield* TestHost.make
  const frames: Array<Frame> = []
  const serving = yield* Server.serve({
    version: "0.0.0",
    updates: "delta",
    drain: false,
    uptime: Effect.succeed(0)
  }).pipe(Effect.provideService(Sessions, sessions), Effect.provide(host.layer), Effect.forkScoped)
  yield* Effect.forkScoped(
    Effect.forever(Effect.map(host.receive(1), (lines) => void frames.push(...lines.map(parsed))))
  )
  const until = (fits: (frame: Frame) => boolean) =>
    Effect.repeat(EventLoop.nextTurn, { until: () => frames.some(fits) }).pipe(
      Effect.timeout("10 seconds"),
      Effect.map(() => frames.find(fits) ?? {})
    )
  const answerOf = (id: string) => until((frame) => isResponse(frame) && frame["id"] === id)
  const ask = (id: string, frame: object) => Effect.zipRight(host.send(JSON.stringify({ id, ...frame })), answerOf(id))
  const records = () => frames.filter((frame) => !isResponse(frame))
  return {
    ask,
    answerOf,
    send: (...lines: ReadonlyArray<object>) => host.send(lines.map((line) => JSON.stringify(line)).join("\n")),
    until,
    frames,
    records,
    end: Effect.zipRight(host.close, Fiber.join(serving))
  }
})
