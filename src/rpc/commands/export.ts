/** A page for people to read (protocol.md 3.7, 9.8). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { optional } from "../../domain/conversation/Content.ts"
import { SessionExport } from "../../services/session/SessionExport.ts"
import * as Command from "../Command.ts"

const exportHtml = Command.make({
  name: "export_html",
  lane: "holding",
  summary: "Writes the session into one self-contained HTML file and answers its absolute path.",
  notes:
    "`outputPath` is relative to the working folder; its folder must exist, and a file that is there is replaced. " +
    "Without it the file is `heddle-session-<name of the session file, or its id>.html` in the working folder. " +
    "Sessions in memory can be exported too, also while a run goes on. What the page shows is in export.md.",
  origin: ["pi", "omp", "xcsh"],
  params: () => Schema.Struct({ outputPath: optional(Schema.String.pipe(Schema.nonEmptyString())) }),
  result: () => Schema.Struct({ path: Schema.String }),
  errors: ["export_failed"],
  run: Effect.fnUntraced(function* (params) {
    const exporter = yield* SessionExport
    const path = yield* Effect.mapError(
      exporter.toHtml(params),
      ({ message }) => new Command.CommandFailure({ code: "export_failed", message })
    )
    return { path }
  })
})

export const commands = [exportHtml]
