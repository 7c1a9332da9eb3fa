/** Logs for people, on stderr: stdout belongs to the protocol. */
import { writeSync } from "node:fs"
import * as Cause from "effect/Cause"
import * as Inspectable from "effect/Inspectable"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"

const render = (message: unknown): string =>
  (Array.isArray(message) ? message : [message]).map((part) => Inspectable.toStringUnknown(part, 0)).join(" ")

const logger = Logger.make<unknown, void>(({ cause, logLevel, message }) => {
  const detail = Cause.isEmpty(cause) ? "" : `\n${Cause.pretty(cause, { renderErrorCause: true })}`
  writeSync(2, `heddle ${logLevel.label.toLowerCase()}: ${render(message)}${detail}\n`)
})

export const layer = (options: { readonly verbose: boolean }) =>
  Layer.merge(
    Logger.replace(Logger.defaultLogger, logger),
    Logger.minimumLogLevel(options.verbose ? LogLevel.Debug : LogLevel.Info)
  )
