/** The byte pipe to a host: what rpc reads from and writes to. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** Nobody reads what we write any more. */
export class HostGone extends Schema.TaggedError<HostGone>()("HostGone", { cause: Schema.Defect }) {}

export class Transport extends Context.Tag("heddle/services/host/Transport")<
  Transport,
  {
    readonly input: {
      /**
       * Hands over chunks, cut anywhere, each in the moment it arrives, until `use` answers something; returns that, or
       * undefined when the host has closed its side. One reader.
       */
      readonly each: <A>(use: (chunk: Uint8Array) => A | undefined) => Effect.Effect<A | undefined>
    }
    /** Returns when the pipe has taken the text, so a slow host slows the writer down. */
    readonly write: (text: string) => Effect.Effect<void, HostGone>
    /** Calls back when everything that is about to be written has gathered, so that it goes out in one write. */
    readonly gather: (go: () => void) => void
  }
>() {}
