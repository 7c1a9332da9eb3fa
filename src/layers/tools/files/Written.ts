/** How `edit` and `write` write: one call per file at a time, with the new version noted in the ledger. */
import * as Effect from "effect/Effect"
import type { ToolOutput } from "../../../domain/conversation/Message.ts"
import { type FileError, Files, type Target } from "../../../services/machine/Files.ts"
import { cutOff, type ToolContext, type ToolFailure } from "../../../services/Tools.ts"
import * as FileFailures from "./FileFailures.ts"
import type { FileLedger } from "../../../services/session/SessionFiles.ts"

export interface Planned {
  readonly target: Target
  readonly bytes: Uint8Array
  readonly output: ToolOutput
}

/** When an interrupt comes too late to stop the write, the result must still say that the file was written. */
const commit = ({ bytes, output, target }: Planned, ledger: FileLedger, context: ToolContext) =>
  Effect.flatMap(Files, (files) => {
    let replaced = false
    const onReplaced = (version: string) => {
      replaced = true
      ledger.saw(target.path, version)
    }
    return files.replace(target, bytes, onReplaced).pipe(
      Effect.as(output),
      context.orInterrupted((reason) => Effect.sync(() => cutOff(reason, replaced ? output : undefined)))
    )
  })

interface Writing {
  readonly tool: "edit" | "write"
  /** The path that the model gave, made absolute. */
  readonly path: string
  readonly ledger: FileLedger
  readonly context: ToolContext
  /** `real` is the path without links. */
  readonly plan: (real: string) => Effect.Effect<Planned, ToolFailure | FileError, Files>
}

export const write = ({ context, ledger, path, plan, tool }: Writing): Effect.Effect<ToolOutput, ToolFailure, Files> =>
  Effect.flatMap(Files, (files) => files.resolve(path)).pipe(
    Effect.flatMap((real) =>
      Effect.flatMap(plan(real), (planned) => commit(planned, ledger, context)).pipe(ledger.exclusively(real))
    ),
    Effect.catchTag("FileError", FileFailures.forPurpose(tool))
  )
