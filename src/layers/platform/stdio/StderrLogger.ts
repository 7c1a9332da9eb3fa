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

const render = (message: unknown): string =>
  (Array.isArray(message) ? message : [message]).map((part) => Inspectable.toStringUnknown(part, 0)).join(" ")

const logger = (mask: (text: string) => string) =>
  Logger.make<unknown, void>(({ cause, logLevel, message }) => {
    const detail = Cause.isEmpty(cause) ? "" : `\n${Cause.pretty(cause, { renderErrorCause: true })}`
    writeSync(2, mask(Text.printable(`heddle ${logLevel.label.toLowerCase()}: ${render(message)}${detail}\n`)))
  })

/** Logs of `effect` go here and nowhere else. Set without a Layer, whose machinery would cost a start 5 ms. */
export const use =
  (options: { readonly verbose: boolean; readonly mask: (text: string) => string }) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    effect.pipe(
      Logger.withMinimumLogLevel(options.verbose ? LogLevel.Debug : LogLevel.Info),
      Effect.locally(FiberRef.currentLoggers, HashSet.make(logger(options.mask)))
    )
