/** Turns a session into a page that people can read and keep. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Agent } from "../Agent.ts"
import type { Session } from "./Session.ts"

/** The page could not be written. */
export class ExportFailed extends Schema.TaggedError<ExportFailed>()("ExportFailed", {
  path: Schema.String,
  detail: Schema.String
}) {
  override get message() {
    return `Cannot export to ${this.path}: ${this.detail}`
  }
}

export interface ExportOptions {
  /** Relative to the folder the agent works in; a name made from the session's where absent. */
  readonly outputPath?: string
}

export class SessionExport extends Context.Tag("heddle/services/session/SessionExport")<
  SessionExport,
  {
    /** One self-contained HTML file of the session it is called for, as it is now; answers its absolute path. */
    readonly toHtml: (options: ExportOptions) => Effect.Effect<string, ExportFailed, Agent | Session>
  }
>() {}
