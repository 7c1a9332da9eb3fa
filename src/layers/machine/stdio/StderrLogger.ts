/** Logs for people, on stderr: stdout belongs to the protocol. */
import { writeSync } from "node:fs"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as HashSet from "effect/HashSet"
import * as Inspectable from "effect/Inspectable"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Text from "../../../domain/Text.ts"

/** What was logged, and why: the cause follows on lines of its own. */
export const textOf = ({ cause, message }: Pick<Logger.Logger.Options<unknown>, "cause" | "message">): string => {
  const parts = (Array.isArray(message) ? message : [message]).map((part) => Inspectable.toStringUnknown(part, 0))
  return parts.join(" ") + (Cause.isEmpty(cause) ? "" : `\n${Cause.pretty(cause, { renderErrorCause: true })}`)
}

const logger = (mask: (text: string) => string) =>
  Logger.make<unknown, void>((entry) => {
    writeSync(2, mask(Text.printable(`heddle ${entry.logLevel.label.toLowerCase()}: ${textOf(entry)}\n`)))
  })

/** Logs of `effect` go here and nowhere else. Set without a Layer, whose machinery would cost a start 5 ms. */
export const use =
  (options: { readonly verbose: boolean; readonly mask: (text: string) => string }) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    effect.pipe(
      Logger.withMinimumLogLevel(options.verbose ? LogLevel.Debug : LogLevel.Info),
      Effect.locally(FiberRef.currentLoggers, HashSet.make(logger(options.mask)))
    )
