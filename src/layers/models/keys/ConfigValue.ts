/** A secret as models.json spells it: `!command`, an environment variable as `NAME` or `$NAME`, or the value itself. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as SynchronizedRef from "effect/SynchronizedRef"
import type { Processes } from "../../../services/machine/Processes.ts"
import * as Environment from "../../machine/processes/Environment.ts"

/** Says where the value is written and what is wrong; never the value, nor what a command printed. */
export class ConfigValueUnavailable extends Schema.TaggedError<ConfigValueUnavailable>()("ConfigValueUnavailable", {
  where: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.where}: ${this.reason}`
  }
}

type Runner = Pick<typeof Processes.Service, "run">
type Variables = typeof Environment.Environment.Service

export interface ConfigValue {
  /** The file and the path in it. */
  readonly where: string
  /** Whether `resolve` can find a value. Runs no command. */
  readonly isPresent: (environment: Variables) => boolean
  /** The value, unless a command has to run for it. */
  readonly known: (environment: Variables) => Redacted.Redacted | undefined
  /** A command runs at the first use. Its output is kept; a failed command runs again at the next use. */
  readonly resolve: Effect.Effect<Redacted.Redacted, ConfigValueUnavailable>
}

const commandTimeout = "10 seconds"
const largestOutput = 64 * 1024

/** No key looks like this: it is the name of a variable that is not set. */
const namesVariable = /^[A-Z][A-Z0-9_]*_(API_KEY|TOKEN)$/

/** What a short shell command prints. Neither its output nor its errors become part of a message. */
const outputOf = Effect.fnUntraced(function* (command: string, processes: Runner) {
  const utf8 = new TextDecoder()
  let size = 0
  let text = ""
  const onOutput = (chunk: Uint8Array) => {
    size += chunk.length
    text += utf8.decode(chunk, { stream: true })
    return size <= largestOutput
  }
  const ended = yield* Effect.mapError(
    // A password manager needs its own secrets, and may leave an agent running.
    Effect.suspend(() =>
      processes.run({
        command: ["/bin/sh", "-c", command],
        env: Environment.complete(),
        onOutput,
        mayLeaveJobs: true
      })
    ),
    () => "could not be started"
  )
  if (ended.exitCode === undefined) return yield* Effect.fail("printed too much")
  return ended.exitCode === 0 ? text : yield* Effect.fail(`ended with exit code ${ended.exitCode}`)
})

const runCommand = (command: string, where: string, processes: Runner) => {
  const unavailable = (reason: string) => new ConfigValueUnavailable({ where, reason })
  return outputOf(command, processes).pipe(
    Effect.mapError((reason) => unavailable(`the command ${reason}`)),
    Effect.timeoutFail({ duration: commandTimeout, onTimeout: () => unavailable("the command took more than 10 s") }),
    Effect.map((output) => output.trim()),
    Effect.filterOrFail(
      (output) => output.length > 0,
      () => unavailable("the command printed nothing")
    ),
    Effect.map((output) => Redacted.make(output))
  )
}

const fromCommand = (command: string, where: string, processes: Runner): ConfigValue => {
  const kept = SynchronizedRef.unsafeMake(Option.none<Redacted.Redacted>())
  return {
    where,
    isPresent: () => true,
    known: () => undefined,
    resolve: SynchronizedRef.modifyEffect(kept, (found) =>
      Option.isSome(found)
        ? Effect.succeed([found.value, found] as const)
        : Effect.map(runCommand(command, where, processes), (value) => [value, Option.some(value)] as const)
    )
  }
}

/** A value that stands for itself, whatever it looks like. */
export const literal = (value: Redacted.Redacted, where: string): ConfigValue => ({
  where,
  isPresent: () => true,
  known: () => value,
  resolve: Effect.succeed(value)
})

/** `find` returns undefined if a variable is not set; `missing` then says which. */
const fromVariables = (
  where: string,
  find: (environment: Variables) => string | undefined,
  missing: (environment: Variables) => string
): ConfigValue => {
  const known = (environment: Variables) => {
    const value = find(environment)
    return value === undefined ? undefined : Redacted.make(value)
  }
  return {
    where,
    isPresent: (environment) => find(environment) !== undefined,
    known,
    resolve: Effect.flatMap(Environment.Environment, (environment) => {
      const value = known(environment)
      if (value !== undefined) return Effect.succeed(value)
      const reason = `names the variable ${missing(environment)}, which is not set`
      return new ConfigValueUnavailable({ where, reason })
    })
  }
}

/** Upper case only, so that hardly any key looks like one. `$$` is a dollar sign, `$!` an exclamation mark. */
const reference = /\$(?:([$!])|\{([A-Z_][A-Z0-9_]*)\}|([A-Z_][A-Z0-9_]*)(?![A-Za-z0-9_]))/g

const fromTemplate = (text: string, where: string): ConfigValue => {
  const parts = [...text.matchAll(reference)]
  const names = parts.flatMap(([, , braced, plain]) => braced ?? plain ?? [])
  const missing = (environment: Variables) => names.find((name) => Environment.valueIn(environment, name) === undefined)
  const fill = (environment: Variables) =>
    text.replaceAll(
      reference,
      (_, sign?: string, braced?: string, plain?: string) =>
        sign ?? Environment.valueIn(environment, braced ?? plain ?? "") ?? ""
    )
  return fromVariables(
    where,
    (environment) => (missing(environment) === undefined ? fill(environment) : undefined),
    (environment) => missing(environment) ?? ""
  )
}

export const make = (text: string, where: string, processes: Runner): ConfigValue => {
  if (text.startsWith("!")) return fromCommand(text.slice(1), where, processes)
  if (text.search(reference) >= 0) return fromTemplate(text, where)
  const literally = namesVariable.test(text) ? undefined : text
  return fromVariables(
    where,
    (environment) => Environment.valueIn(environment, text) ?? literally,
    () => text
  )
}
