/** `heddle auth set|list|remove`. Keys.ts, which does the work, is loaded when it is needed. */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Effect from "effect/Effect"
import { invalid } from "../arguments/OptionTable.ts"

const loadKeys = Effect.promise(() => import("./Keys.ts"))

/** A surplus word may be a key, so it is never printed. */
const oneProvider = (words: ReadonlyArray<string>, action: string) => {
  const [provider] = words
  return provider !== undefined && words.length === 1
    ? Effect.succeed(provider)
    : invalid(
        `expected: heddle auth ${action} <provider>. A key is read from stdin or asked for, never from the command line.`
      )
}

export const make = () => {
  const words = Args.text({ name: "provider" }).pipe(
    Args.withDescription("Name of the provider, such as anthropic"),
    Args.repeated
  )
  const set = Command.make("set", { words }, ({ words }) =>
    Effect.gen(function* () {
      const provider = yield* oneProvider(words, "set")
      yield* (yield* loadKeys).set(provider)
    })
  ).pipe(Command.withDescription("Store the key of a provider: piped into stdin, else asked for without showing it"))
  const list = Command.make("list", {}, () => Effect.flatMap(loadKeys, ({ list }) => list)).pipe(
    Command.withDescription("Say which providers have a key and where it comes from; keys are not shown")
  )
  const remove = Command.make("remove", { words }, ({ words }) =>
    Effect.gen(function* () {
      const provider = yield* oneProvider(words, "remove")
      yield* (yield* loadKeys).remove(provider)
    })
  ).pipe(Command.withDescription("Delete the stored key of a provider"))
  return Command.make("auth").pipe(
    Command.withDescription("Keys of providers, kept in auth.json"),
    Command.withSubcommands([set, list, remove])
  )
}
