/** Exports a session as a page. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { ToolSet } from "../Tools.ts"
import type { Instructions } from "../session/modules/Instructions.ts"
import type { Session } from "../session/Session.ts"

export class ExportFailed extends Schema.TaggedError<ExportFailed>()("ExportFailed", {
  path: Schema.String,
  detail: Schema.String
}) {
  override get message() {
    return `Cannot export to ${this.path}: ${this.detail}`
  }
}

export interface ExportOptions {
  /** Relative to the working folder of the agent; by default a name made from that of the session. */
  readonly outputPath?: string
}

export class SessionExport extends Context.Tag("heddle/services/storage/SessionExport")<
  SessionExport,
  {
    /** Writes the session as one self-contained HTML file, and returns its absolute path. */
    readonly toHtml: (options: ExportOptions) => Effect.Effect<string, ExportFailed, Instructions | Session | ToolSet>
  }
>() {}
