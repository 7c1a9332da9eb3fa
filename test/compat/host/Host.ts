/** One process under test: everything it has written, and waits for frames that end with a reason. */
import * as Agent from "../../support/torture/Agent.ts"
import { brief } from "./Frames.ts"

export type Frame = Agent.Frame
export type Fits = (frame: Frame) => boolean

/** Why a behaviour does not hold. */
export class Failure extends Error {}

export interface Wait {
  /** Index of the first frame to look at. */
  readonly from: number
  /** Ends the reason "did not see …". */
  readonly what: string
  readonly ms?: number
  /** A frame after which the one that is waited for cannot come; the answer is the reason. */
  readonly unless?: (frame: Frame) => string | undefined
}

export interface Host {
  readonly frames: ReadonlyArray<Frame>
  readonly send: (frame: object) => void
  readonly until: (fits: Fits, wait: Wait) => Promise<Frame>
  /** Sends a command and answers its response, whether it succeeded or not. */
  readonly request: (frame: object, ms?: number) => Promise<Frame>
  /** Lines on stdout that are no frames. */
  readonly impure: ReadonlyArray<string>
  readonly stderr: () => string
  /** Closes stdin; undefined if the process had to be killed. */
  readonly end: () => Promise<Agent.Exit | undefined>
}

/** On a machine that does other things too; what is waited for usually takes a fraction of it. */
const patience = 12_000
const maxFrames = 20_000

const lastWords = (stderr: string) => brief(stderr.trim().split("\n").slice(-3).join(" "), 240) || "nothing on stderr"

export const start = (launch: Agent.Launch): Host => {
  const agent = Agent.start(launch)
  const frames: Array<Frame> = []
  const waiting = new Set<() => void>()
  const wake = () => {
    for (const look of waiting) look()
  }
  agent.watch((frame) => {
    if (frames.length < maxFrames) frames.push(frame)
    wake()
  })
  void agent.exited.then(wake)

  const until = (fits: Fits, { from, ms = patience, unless, what }: Wait) =>
    new Promise<Frame>((resolve, reject) => {
      let next = from
      const settle = (done: () => void) => {
        waiting.delete(look)
        clearTimeout(timer)
        done()
      }
      const fail = (reason: string) => settle(() => reject(new Failure(reason)))
      const look = () => {
        for (; next < frames.length; next++) {
          const frame = frames[next] ?? {}
          if (fits(frame)) return settle(() => resolve(frame))
          const reason = unless?.(frame)
          if (reason !== undefined) return fail(reason)
        }
        if (agent.hasEnded()) fail(`the host ended before ${what}: ${lastWords(agent.stderr())}`)
      }
      const timer = setTimeout(() => fail(`did not see ${what} within ${ms / 1000} s`), ms)
      waiting.add(look)
      look()
    })

  let ids = 0
  const request = (frame: object, ms = patience) => {
    const id = `c${++ids}`
    const from = frames.length
    void agent.send({ ...frame, id })
    const what = `the response to ${brief(frame, 60)}`
    return until((answer) => answer["type"] === "response" && answer["id"] === id, { from, what, ms })
  }

  return {
    frames,
    send: (frame) => void agent.send(frame),
    until,
    request,
    impure: agent.impure,
    stderr: agent.stderr,
    end: () => Agent.close(agent)
  }
}
