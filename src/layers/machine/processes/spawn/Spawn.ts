/** Starts a process. This is the only part in which Bun and Node differ: all else about processes is shared. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Engine from "../../engine/Engine.ts"
import * as BunSpawn from "./BunSpawn.ts"
import type { Child, OutputPipe, SpawnOptions } from "./Child.ts"

/** Loaded at the first use: Bun never needs it. */
const onNode = Effect.promise(() => import("./NodeSpawn.ts"))

/** Fails with what the engine throws. */
export const spawn = (options: SpawnOptions): Effect.Effect<Child, unknown> =>
  Engine.isBun
    ? Effect.try({ try: () => BunSpawn.spawn(options), catch: (cause) => cause })
    : Effect.flatMap(onNode, (node) => node.spawn(options))

/** Undefined when no pipe can be had. Other children do not inherit the descriptors. */
export const openPipe: Effect.Effect<OutputPipe | undefined> = Effect.suspend(() =>
  Engine.isBun ? Effect.sync(BunSpawn.openPipe) : Effect.flatMap(onNode, (node) => node.openPipe)
)

/** The path of a program, by the folders in PATH; undefined if there is none. */
export const which = (name: string): Effect.Effect<string | undefined> =>
  Engine.isBun
    ? Effect.sync(() => Bun.which(name) ?? undefined)
    : Effect.map(onNode, (node) => node.which(name, { PATH: process.env["PATH"] }))

const advice: Readonly<Record<string, string>> = {
  EAGAIN:
    "the limit on processes is reached (EAGAIN). End programs that are not needed, or raise it: ulimit -u, or the pids limit of the container",
  EMFILE: "too many files are open (EMFILE). Close sessions that are not needed, or raise the limit: ulimit -n",
  ENFILE: "the machine has too many open files (ENFILE). End programs that are not needed",
  ENOMEM: "there is not enough memory (ENOMEM). End programs that are not needed"
}

export const codeOf = (cause: unknown): string | undefined =>
  Predicate.hasProperty(cause, "code") && Predicate.isString(cause.code) ? cause.code : undefined

/** Why a process could not be started, in words that say what to do about it. */
export const explain = (cause: unknown): string =>
  advice[codeOf(cause) ?? ""] ?? (cause instanceof Error ? cause.message : String(cause))
