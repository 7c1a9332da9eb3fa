/** The last step of the tools that write: the file is replaced, and the session and the model are told of it. */
import * as Effect from "effect/Effect"
import type { ToolOutput } from "../../domain/Message.ts"
import type { ToolContext } from "../../services/Tools.ts"
import * as AtomicFiles from "../platform/AtomicFiles.ts"
import type { FileLedger } from "./FileLedger.ts"

export interface Planned {
  readonly target: AtomicFiles.Target
  readonly bytes: Uint8Array
  readonly output: ToolOutput
}

/** An interrupt that comes too late to stop the write must not read as if nothing had been written. */
export const commit = ({ bytes, output, target }: Planned, ledger: FileLedger, context: ToolContext) =>
  Effect.suspend(() => {
    let replaced = false
    const onReplaced = (version: string) => {
      replaced = true
      ledger.saw(target.path, version)
    }
    return AtomicFiles.replace(target, bytes, onReplaced).pipe(
      Effect.as(output),
      Effect.onInterrupt(() => (replaced ? context.progress(output) : Effect.void))
    )
  })
