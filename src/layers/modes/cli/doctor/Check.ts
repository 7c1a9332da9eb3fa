/** One finding of `heddle doctor`. */
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as HashSet from "effect/HashSet"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"

export interface Check {
  /** What was looked at: a word that stays the same, for programs. */
  readonly name: string
  readonly status: "ok" | "warning" | "problem"
  readonly message: string
  /** A command to run, or what else to do. */
  readonly fix?: string
}

export const ok = (name: string, message: string): Check => ({ name, status: "ok", message })
export const warning = (name: string, message: string, fix: string): Check => ({
  name,
  status: "warning",
  message,
  fix
})
export const problem = (name: string, message: string, fix: string): Check => ({
  name,
  status: "problem",
  message,
  fix
})

/** Runs the effect, and returns what it logged as warnings: those are what is wrong with files of the user. */
export const withWarnings = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const warnings: Array<string> = []
    const logger = Logger.make<unknown, void>(({ logLevel, message }) => {
      if (LogLevel.greaterThanEqual(logLevel, LogLevel.Warning)) {
        warnings.push((Array.isArray(message) ? message : [message]).map(String).join(" "))
      }
    })
    const watched = Effect.locally(effect, FiberRef.currentLoggers, HashSet.make(logger))
    return Effect.map(watched, (value) => ({ value, warnings }))
  })
