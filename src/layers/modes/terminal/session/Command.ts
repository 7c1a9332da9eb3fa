/** A command of the terminal itself. Those of extensions, templates and skills belong to the session. */
import type * as Effect from "effect/Effect"
import type { Completion } from "../../../../services/session/modules/Commands.ts"
import type { Files } from "../../../../services/machine/Files.ts"
import type { ModelCatalog } from "../../../../services/model/ModelCatalog.ts"
import type { SessionExport } from "../../../../services/storage/SessionExport.ts"
import type { Sessions } from "../../../../services/session/Sessions.ts"
import type { Talk } from "./Talk.ts"

export type Services = Sessions | ModelCatalog | SessionExport | Files

export interface Command {
  readonly name: string
  /** As in `/model [name]`. */
  readonly hint?: string
  readonly description: string
  readonly complete?: (prefix: string) => Effect.Effect<ReadonlyArray<Completion>, never, Services>
  readonly run: (
    args: string,
    talk: Talk
  ) => Effect.Effect<void, { readonly _tag: string; readonly message: string }, Services>
}

export const completions = (values: ReadonlyArray<string>, prefix: string): ReadonlyArray<Completion> =>
  values.filter((value) => value.startsWith(prefix)).map((value) => ({ value, label: value }))
