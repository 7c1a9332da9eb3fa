/** The built-in tools for the factories of pi: each call runs in the agent's own machine and under its file locks. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { JsonObject } from "../../../../domain/conversation/Content.ts"
import type { ToolOutput } from "../../../../domain/conversation/Message.ts"
import { defined } from "../../../../domain/Values.ts"
import { Files } from "../../../../services/machine/Files.ts"
import { Processes } from "../../../../services/machine/Processes.ts"
import type { Shell } from "../../../../services/Shell.ts"
import type { Tool } from "../../../../services/Tools.ts"
import * as ForeignCall from "../../../platform/extensions/ForeignCall.ts"
import { inherited } from "../../../platform/processes/Environment.ts"
import * as Bash from "../../../tools/Bash.ts"
import * as Edit from "../../../tools/Edit.ts"
import type { FileLedger } from "../../../tools/files/FileLedger.ts"
import * as Find from "../../../tools/Find.ts"
import * as Grep from "../../../tools/Grep.ts"
import * as Ls from "../../../tools/Ls.ts"
import * as Read from "../../../tools/Read.ts"
import * as Artifact from "../../../tools/shell/Artifact.ts"
import * as Write from "../../../tools/Write.ts"
import type { ExecOptions, PiToolResult, ToolBindings, ToolName, ToolOptions } from "../HostBindings.ts"
import type { Run } from "./Bridge.ts"
import * as OperationFiles from "./OperationFiles.ts"
import * as OperationFind from "./OperationFind.ts"
import * as OperationShell from "./OperationShell.ts"
import * as PlainImages from "./PlainImages.ts"

export interface ToolServices {
  readonly machine: Context.Context<Files | Processes>
  readonly shell: typeof Shell.Service
  /** Of the session that is open, so that extensions and the model's own edits wait for each other. */
  readonly ledger: () => FileLedger
  /** The folder for full output (`ShellRequest.artifacts`). */
  readonly artifacts?: Effect.Effect<Option.Option<string>>
}

/** pi has no limit of its own. */
const longest = 24 * 3600

/** Versions of files elsewhere say nothing about the local file of the same name. */
const withoutVersions = ({ exclusively }: FileLedger): FileLedger => ({
  exclusively,
  saw: () => {},
  isStale: () => false
})

const toolOf = (name: ToolName, options: ToolOptions, services: ToolServices, artifacts: Artifact.Artifacts): Tool => {
  const { cwd, operations } = options
  const local = Context.get(services.machine, Files)
  const files = operations === undefined ? local : OperationFiles.make(operations, local)
  const machine = Context.add(services.machine, Files, files)
  const ledger = operations === undefined ? services.ledger() : withoutVersions(services.ledger())
  switch (name) {
    case "read": {
      const read = Read.make({ cwd, ledger, machine })
      return options.autoResizeImages === false ? PlainImages.make(read, files, cwd) : read
    }
    case "bash": {
      const shell = OperationShell.make(options, services.shell, artifacts)
      return Bash.make({ cwd, shell, ...defined({ artifacts: services.artifacts }) })
    }
    case "edit":
      return Edit.make({ cwd, ledger, machine })
    case "write":
      return Write.make({ cwd, ledger, machine })
    case "grep":
      return Grep.make({ cwd, machine })
    case "find":
      return operations?.glob === undefined
        ? Find.make({ cwd, machine })
        : OperationFind.make(Find.make({ cwd, machine }), operations, cwd)
    case "ls":
      return Ls.make({ cwd, machine })
  }
}

const toPi = ({ content, details }: ToolOutput): PiToolResult => ({ content, details })

const execWith =
  (shell: typeof Shell.Service, run: Run) => async (command: string, cwd: string, options: ExecOptions) => {
    const { env = {}, onData, signal, timeout = longest } = options
    const before = inherited()
    const changed = Object.entries(env).flatMap(([name, value]) =>
      value === undefined || before[name] === value ? [] : [[name, value] as const]
    )
    const running = shell.run({
      command,
      cwd,
      env: Object.fromEntries(changed),
      timeoutMs: timeout * 1000,
      onDelta: (delta) => ForeignCall.tell(() => onData(Buffer.from(delta)))
    })
    const { cancelled, exitCode, timedOut } = await run(running, signal).catch((error: unknown) => {
      throw signal?.aborted === true ? new Error("aborted") : error
    })
    if (timedOut) throw new Error(`timeout:${timeout}`)
    if (cancelled) throw new Error("aborted")
    return { exitCode: exitCode ?? null }
  }

/** What the work of an extension throws goes back to it as it is. */
const outcomeOf = async <A>(work: () => Promise<A>) => {
  try {
    return { value: await work() }
  } catch (thrown) {
    return { thrown }
  }
}

export const make = Effect.fnUntraced(function* (services: ToolServices, run: Run) {
  const artifacts = yield* Artifact.make()
  const bindings: ToolBindings = {
    make: (name, options) => {
      const tool = toolOf(name, options, services, artifacts)
      return {
        name,
        get description() {
          return tool.definition.description
        },
        get parameters() {
          return tool.definition.parameters
        },
        execute: async (args: JsonObject, { onUpdate, signal, toolCallId }) => {
          const progress = (output: ToolOutput) => ForeignCall.tell(() => onUpdate?.(toPi(output)))
          return toPi(await run(tool.run(args, { toolCallId, progress }), signal))
        }
      }
    },
    exclusively: async (path, work) => {
      const files = Context.get(services.machine, Files)
      const real = await run(Effect.orElseSucceed(files.resolve(path), () => path))
      const outcome = await run(services.ledger().exclusively(real)(Effect.promise(() => outcomeOf(work))))
      if ("thrown" in outcome) throw outcome.thrown
      return outcome.value
    },
    exec: execWith(services.shell, run)
  }
  return bindings
})
