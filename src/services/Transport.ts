/** The byte pipe to a host: what rpc reads from and writes to. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Mailbox from "effect/Mailbox"
import * as Schema from "effect/Schema"

/** Nobody reads what we write any more. */
export class HostGone extends Schema.TaggedError<HostGone>()("HostGone", { cause: Schema.Defect }) {}

export class Transport extends Context.Tag("heddle/services/Transport")<
  Transport,
  {
    /** Chunks as they arrive, cut anywhere; ends when the host closes its side. */
    readonly input: Mailbox.ReadonlyMailbox<Uint8Array>
    /** Returns when the pipe has taken the text, so a slow host slows the writer down. */
    readonly write: (text: string) => Effect.Effect<void, HostGone>
    /** Lets everything that is about to be written gather, so that it goes out in one write. */
    readonly gather: Effect.Effect<void>
  }
>() {}
