/**
 * How `edit` and `write` write: one call per file at a time, with the new version noted in the ledger. What a call would do is
 * planned by the same code, and what somebody was shown of it is what it does.
 */
import * as Effect from "effect/Effect"
import type { FileDiff } from "../../../domain/approvals/Question.ts"
import type { ToolOutput } from "../../../domain/conversation/Message.ts"
import { type FileError, Files, type Target } from "../../../services/machine/Files.ts"
import { cutOff, type Preview, type ToolContext, ToolFailure } from "../../../services/Tools.ts"
import * as LocalPaths from "../../machine/files/LocalPaths.ts"
import * as FileFailures from "./FileFailures.ts"
import type { FileLedger } from "../../../services/session/SessionFiles.ts"

export interface Planned {
  readonly target: Target
  readonly bytes: Uint8Array
  readonly output: ToolOutput
  /** The folders above the file may have to be made. */
  readonly needsParents?: boolean
}

/** Plans the write to a path without links. Changes nothing. */
type Plan = (real: string) => Effect.Effect<Planned, ToolFailure | FileError, Files>

interface WriterOptions {
  readonly cwd: string
  readonly ledger: FileLedger
}

const versionOf = ({ path, version = "" }: Target): string => `${version} ${path}`

/** The path as it is shown, and what becomes of its file. */
const diffOf = (path: string, { output: { details = {} }, target }: Planned): FileDiff => {
  const { diff, diffTruncated } = details
  const created = target.version === undefined
  const hasDiff = typeof diff === "string"
  return {
    path,
    kind: created ? "create" : "modify",
    unified: hasDiff ? `--- ${created ? "/dev/null" : path}\n+++ ${path}\n${diff}` : "",
    truncated: diffTruncated === true || !hasDiff
  }
}

/** When an interrupt comes too late to stop the write, the result must still say that the file was written. */
const commit = ({ bytes, needsParents, output, target }: Planned, ledger: FileLedger, context: ToolContext) =>
  Effect.flatMap(Files, (files) => {
    let replaced = false
    const onReplaced = (version: string) => {
      replaced = true
      ledger.saw(target.path, version)
    }
    const parents = needsParents === true ? files.makeParents(target.path) : Effect.void
    return Effect.zipRight(parents, files.replace(target, bytes, onReplaced)).pipe(
      Effect.as(output),
      context.orInterrupted((reason) => Effect.sync(() => cutOff(reason, replaced ? output : undefined)))
    )
  })

export const make = (tool: "edit" | "write", options: WriterOptions) => {
  const { cwd, ledger } = options
  /** What calls may change, by their ids: the files as they were when somebody was asked about them. */
  const pinned = new Map<string, string>()

  /** Nothing else writes the file meanwhile. */
  const planned = <A>(
    argument: string,
    plan: Plan,
    use: (planned: Planned) => Effect.Effect<A, ToolFailure | FileError, Files>
  ): Effect.Effect<A, ToolFailure, Files> =>
    Effect.flatMap(Files, (files) => files.resolve(LocalPaths.ofArgument(argument, options))).pipe(
      Effect.flatMap((real) => Effect.flatMap(plan(real), use).pipe(ledger.exclusively(real))),
      Effect.catchTag("FileError", FileFailures.forPurpose(tool))
    )

  const checked = (argument: string, all: Planned, { toolCallId }: ToolContext) => {
    const version = pinned.get(toolCallId)
    pinned.delete(toolCallId)
    if (version === undefined || version === versionOf(all.target)) return Effect.succeed(all)
    return new ToolFailure({ message: FileFailures.changedText(argument) })
  }

  return {
    preview: (argument: string, plan: Plan, toolCallId: string): Effect.Effect<Preview, ToolFailure, Files> =>
      planned(argument, plan, (all) => {
        const version = versionOf(all.target)
        const path = LocalPaths.display(LocalPaths.ofArgument(argument, options), cwd)
        return Effect.succeed({
          changes: [diffOf(path, all)],
          version,
          pin: () => void pinned.set(toolCallId, version)
        })
      }),
    write: (argument: string, plan: Plan, context: ToolContext): Effect.Effect<ToolOutput, ToolFailure, Files> =>
      planned(argument, plan, (all) =>
        Effect.flatMap(checked(argument, all, context), (fit) => commit(fit, ledger, context))
      )
  }
}
