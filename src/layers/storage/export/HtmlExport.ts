/** Exports sessions as pages. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Files } from "../../../services/machine/Files.ts"
import { Instructions } from "../../../services/session/modules/Instructions.ts"
import { Session } from "../../../services/session/Session.ts"
import * as PageFile from "./PageFile.ts"
import { KnownSecrets } from "../../machine/secrets/KnownSecrets.ts"
import { ToolSet } from "../../../services/Tools.ts"
import { type ExportOptions, SessionExport } from "../../../services/storage/SessionExport.ts"

export const make = Effect.fnUntraced(function* ({ cwd }: { readonly cwd: string }) {
  const files = yield* Files
  const secrets = yield* KnownSecrets
  const toHtml = Effect.fn("SessionExport.toHtml")(function* ({ outputPath }: ExportOptions) {
    const { active } = yield* ToolSet
    const { current } = yield* Instructions
    const session = yield* Session
    const { file, header, sessionId } = yield* session.info
    const document = {
      header,
      entries: yield* session.entries,
      leafId: yield* session.leafId,
      systemPrompt: yield* current,
      tools: (yield* active).map(({ definition: { description, name } }) => ({ name, description }))
    }
    yield* secrets.collected
    const name = PageFile.defaultName(Option.getOrElse(file, () => sessionId))
    const source = Option.match(file, { onNone: () => ({}), onSome: (sessionFile) => ({ sessionFile }) })
    return yield* PageFile.write(document, {
      files,
      cwd,
      outputPath: outputPath ?? name,
      mask: secrets.mask,
      ...source
    })
  })

  return SessionExport.of({ toHtml })
})

export const layer = (options: { readonly cwd: string }) => Layer.effect(SessionExport, make(options))
