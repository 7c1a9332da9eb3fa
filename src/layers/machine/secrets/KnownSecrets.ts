/**
 * The secret values that heddle knows: keys, tokens, passwords of base URLs. Text that enters from outside is masked
 * before it is stored, shown or logged (docs/decisions/0023-known-secrets.md).
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { hidden } from "../../../domain/model/BaseUrl.ts"
import * as ByteMask from "./ByteMask.ts"

export interface Secrets {
  /** For good: a key that was in force once stays a secret. Short values are ignored, they would mask common words. */
  readonly add: (value: string | undefined) => void
  /** Adds values when text is masked for the first time, so that a start does not have to look for them. */
  readonly addSource: (source: Effect.Effect<void>) => void
  /** Completes when all sources have been asked. */
  readonly collected: Effect.Effect<void>
  /** Returns the same text if there is nothing to hide. */
  readonly mask: (text: string) => string
  /** For one stream of bytes, or nothing if no secret is known. */
  readonly stream: () => ByteMask.ByteMask | undefined
}

/** Shorter values are words. */
const shortest = 8

const escape = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)

/** As it stands in JSON, where that differs. */
const spellings = (value: string) => new Set([value, JSON.stringify(value).slice(1, -1)])

export const make = (): Secrets => {
  const values = new Set<string>()
  let sources: ReadonlyArray<Effect.Effect<void>> = []
  let pattern: RegExp | undefined
  let bytes: ByteMask.Compiled | undefined

  const compile = () => {
    // The longest first: a key may begin with another.
    const sorted = [...values].toSorted((a, b) => b.length - a.length)
    pattern = new RegExp(sorted.map(escape).join("|"), "g")
    bytes = ByteMask.compile(sorted)
  }
  const add = (value: string | undefined) => {
    if (value === undefined || value.length < shortest || values.has(value)) return
    for (const spelling of spellings(value)) values.add(spelling)
    pattern = undefined
  }
  return {
    add,
    addSource: (source) => {
      sources = [...sources, source]
    },
    collected: Effect.suspend(() => {
      if (sources.length === 0) return Effect.void
      const waiting = sources
      return Effect.map(Effect.all(waiting, { discard: true }), () => {
        sources = sources.filter((source) => !waiting.includes(source))
      })
    }),
    mask: (text) => {
      if (values.size === 0) return text
      if (pattern === undefined) compile()
      return pattern === undefined ? text : text.replace(pattern, hidden)
    },
    stream: () => {
      if (values.size === 0) return undefined
      if (pattern === undefined) compile()
      return bytes === undefined ? undefined : ByteMask.make(bytes)
    }
  }
}

/** Nothing is a secret. */
export const none: Secrets = {
  add: () => undefined,
  addSource: () => undefined,
  collected: Effect.void,
  mask: (text) => text,
  stream: () => undefined
}

/** Knows nothing by default; `AgentLive` brings one that does. */
export class KnownSecrets extends Context.Reference<KnownSecrets>()("heddle/layers/machine/secrets/KnownSecrets", {
  defaultValue: () => none
}) {}
