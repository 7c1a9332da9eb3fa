/** A secret as models.json spells it: `!command`, the name of an environment variable, or the value itself. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as SynchronizedRef from "effect/SynchronizedRef"
import * as Environment from "../platform/processes/Environment.ts"
import * as ShellOutput from "../platform/processes/ShellOutput.ts"

/** Says where the value is written and what is wrong; never the value, nor what a command printed. */
export class ConfigValueUnavailable extends Schema.TaggedError<ConfigValueUnavailable>()("ConfigValueUnavailable", {
  where: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.where}: ${this.reason}`
  }
}

type Variables = typeof Environment.Environment.Service

export interface ConfigValue {
  /** The file and the path in it. */
  readonly where: string
  /** Resolving it may take as long as a command does. */
  readonly isCommand: boolean
  /** Whether there is something to resolve. Runs no command. */
  readonly isPresent: (environment: Variables) => boolean
  /** What it resolves to where no command has to run for it. */
  readonly known: (environment: Variables) => Redacted.Redacted | undefined
  /** A command runs at the first use; what it printed is kept, what failed is tried again. */
  readonly resolve: Effect.Effect<Redacted.Redacted, ConfigValueUnavailable>
}

const commandTimeout = "10 seconds"

/** Nobody's key looks like this: such a variable is missing rather than meant literally. */
const namesVariable = /^[A-Z][A-Z0-9_]*_(API_KEY|TOKEN)$/

const runCommand = (command: string, where: string) => {
  const unavailable = (reason: string) => new ConfigValueUnavailable({ where, reason })
  return ShellOutput.run(command).pipe(
    Effect.mapError(({ reason }) => unavailable(`the command ${reason}`)),
    Effect.timeoutFail({ duration: commandTimeout, onTimeout: () => unavailable("the command took more than 10 s") }),
    Effect.map((output) => output.trim()),
    Effect.filterOrFail(
      (output) => output.length > 0,
      () => unavailable("the command printed nothing")
    ),
    Effect.map((output) => Redacted.make(output))
  )
}

const fromCommand = (command: string, where: string): ConfigValue => {
  const kept = SynchronizedRef.unsafeMake(Option.none<Redacted.Redacted>())
  return {
    where,
    isCommand: true,
    isPresent: () => true,
    known: () => undefined,
    resolve: SynchronizedRef.modifyEffect(kept, (found) =>
      Option.isSome(found)
        ? Effect.succeed([found.value, found] as const)
        : Effect.map(runCommand(command, where), (value) => [value, Option.some(value)] as const)
    )
  }
}

export const make = (text: string, where: string): ConfigValue => {
  if (text.startsWith("!")) return fromCommand(text.slice(1), where)
  const literal = namesVariable.test(text) ? undefined : Redacted.make(text)
  const find = (environment: Variables) => {
    const value = Environment.valueIn(environment, text)
    return value === undefined ? literal : Redacted.make(value)
  }
  return {
    where,
    isCommand: false,
    isPresent: (environment) => find(environment) !== undefined,
    known: find,
    resolve: Effect.flatMap(Environment.Environment, (environment) => {
      const value = find(environment)
      if (value !== undefined) return Effect.succeed(value)
      return new ConfigValueUnavailable({ where, reason: `names the variable ${text}, which is not set` })
    })
  }
}
