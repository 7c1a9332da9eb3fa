/** The byte pipe to a host: the server reads commands from it and writes frames to it. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Mailbox from "effect/Mailbox"
import * as Schema from "effect/Schema"

/** The host does not read our output any more. */
export class HostGone extends Schema.TaggedError<HostGone>()("HostGone", { cause: Schema.Defect }) {}

export class Transport extends Context.Tag("heddle/services/host/Transport")<
  Transport,
  {
    /** Bytes from the host, cut anywhere. It ends when the host closes its side. The server is its only reader. */
    readonly input: Mailbox.ReadonlyMailbox<Uint8Array>
    /** Returns when the pipe has taken the text, so a slow host slows the writer down. */
    readonly write: (text: string) => Effect.Effect<void, HostGone>
    /** Waits while frames gather that can leave in one write. `Effect.yieldNow()` is enough for pipes in memory. */
    readonly gather: Effect.Effect<void>
    /** Asks the engine to give memory back soon. By itself it waits until memory grows, which a quiet process does not do. */
    readonly collect?: () => void
  }
>() {}
