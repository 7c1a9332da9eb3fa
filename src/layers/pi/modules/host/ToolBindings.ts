/** The built-in tools for the factories of pi: each call runs in the agent's own machine and under its file locks. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { type JsonObject, text } from "../../../../domain/conversation/Content.ts"
import type { ToolOutput } from "../../../../domain/conversation/Message.ts"
import { Files } from "../../../../services/machine/Files.ts"
import { Processes } from "../../../../services/machine/Processes.ts"
import type { Shell } from "../../../../services/Shell.ts"
import { type Tool, type ToolContext, ToolFailure } from "../../../../services/Tools.ts"
import * as ForeignCall from "../../../machine/foreign/ForeignCall.ts"
import * as ForeignValue from "../../../machine/foreign/ForeignValue.ts"
import * as LocalPaths from "../../../machine/files/LocalPaths.ts"
import { inherited } from "../../../machine/processes/Environment.ts"
import * as Bash from "../../../tools/shell/Bash.ts"
import * as Edit from "../../../tools/edit/Edit.ts"
import type { FileLedger, SessionFiles } from "../../../../services/session/SessionFiles.ts"
import * as ImageSize from "../../../tools/files/ImageSize.ts"
import { maxBytes } from "../../../tools/files/ReadImage.ts"
import * as Truncate from "../../../tools/files/Truncate.ts"
import * as Find from "../../../tools/search/Find.ts"
import * as Grep from "../../../tools/search/Grep.ts"
import * as Ls from "../../../tools/files/Ls.ts"
import * as Read from "../../../tools/files/Read.ts"
import * as Artifact from "../../../tools/shell/Artifact.ts"
import * as Output from "../../../tools/Tool.ts"
import * as Write from "../../../tools/files/Write.ts"
import type { ExecOptions, Operations, PiToolResult, ToolBindings, ToolName, ToolOptions } from "../HostBindings.ts"
import type { Run } from "./Bridge.ts"
import * as OperationFiles from "./OperationFiles.ts"
import * as OperationShell from "./OperationShell.ts"

const readPlain = Effect.fnUntraced(function* (files: typeof Files.Service, path: string) {
  const file = yield* files.open(path)
  const mimeType = ImageSize.typeOf(yield* file.read(0))
  if (mimeType === undefined || file.size > maxBytes) return undefined
  const bytes = yield* file.readFirst(maxBytes)
  const image = { type: "image", data: bytes.toBase64(), mimeType } as const
  return { content: [text(`Read image file [${mimeType}]`), image] }
}, Effect.scoped)

/** For an extension that wants images as they are, not scaled down. Everything but an image, and every failure, is left to the built-in tool. */
const withPlainImages = (read: Tool, files: typeof Files.Service, cwd: string): Tool => ({
  ...read,
  definition: read.definition,
  run: (args, context) => {
    const { path } = args
    if (typeof path !== "string") return read.run(args, context)
    return Effect.flatMap(
      Effect.orElseSucceed(readPlain(files, LocalPaths.ofArgument(path, { cwd })), () => undefined),
      (image) => (image === undefined ? read.run(args, context) : Effect.succeed(image))
    )
  }
})

const defaultLimit = 1000
const ignore = ["**/node_modules/**", "**/.git/**"]

const failure = (cause: unknown) => new ToolFailure({ message: ForeignValue.textOf(cause) })

const found = (paths: ReadonlyArray<string>, root: string, limit: number) => {
  if (paths.length === 0) return Output.textOutput("No files found matching pattern")
  const lines = paths
    .slice(0, limit)
    .map((path) => (LocalPaths.isAbsolute(path) ? LocalPaths.relative(root, path) : path))
  const cut = Truncate.truncateHead(lines.join("\n"))
  const notice = paths.length >= limit ? `\n\n[${limit} results limit reached. Use limit=${limit * 2} for more.]` : ""
  return Output.textOutput(cut.content + notice, {
    ...(cut.truncated ? { truncation: Truncate.toDetails(cut) } : {}),
    ...(notice === "" ? {} : { resultLimitReached: limit })
  })
}

/** `find` over the `glob` of an extension: the words and the checks of the built-in tool, the search of the extension. */
const withOwnFind = (find: Tool, { exists, glob }: Operations, cwd: string): Tool => ({
  ...find,
  definition: find.definition,
  run: ({ limit, path, pattern }) => {
    if (typeof pattern !== "string" || glob === undefined)
      return failure("Invalid arguments for find: pattern: is missing")
    const root = LocalPaths.ofArgument(typeof path === "string" ? path : ".", { cwd })
    const most = typeof limit === "number" && limit >= 1 ? Math.floor(limit) : defaultLimit
    return Effect.tryPromise({
      try: async () => {
        if (exists !== undefined && !(await exists(root))) throw new Error(`Path not found: ${root}`)
        return found(await glob(pattern, root, { ignore, limit: most }), root, most)
      },
      catch: failure
    })
  }
})

export interface ToolServices {
  readonly machine: Context.Context<Files | Processes>
  readonly shell: typeof Shell.Service
  /** Of the session that is served, so that extensions and the model's own edits wait for each other. */
  readonly files: () => typeof SessionFiles.Service
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
  const own = services.files()
  const ledger = operations === undefined ? own.ledger : withoutVersions(own.ledger)
  switch (name) {
    case "read": {
      const read = Read.make({ cwd, ledger, machine })
      return options.autoResizeImages === false ? withPlainImages(read, files, cwd) : read
    }
    case "bash": {
      const shell = OperationShell.make(options, services.shell, artifacts)
      return Bash.make({ cwd, shell, artifacts: own.artifacts })
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
        : withOwnFind(Find.make({ cwd, machine }), operations, cwd)
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
      onDelta: (delta) => ForeignCall.notify(() => onData(Buffer.from(delta)))
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
  return {
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
          const progress = (output: ToolOutput) => ForeignCall.notify(() => onUpdate?.(toPi(output)))
          // The promise of an aborted call is rejected: there is no answer to give.
          const context: ToolContext = { toolCallId, progress, orInterrupted: () => (work) => work }
          return toPi(await run(tool.run(args, context), signal))
        }
      }
    },
    exclusively: async (path, work) => {
      const { ledger } = services.files()
      const files = Context.get(services.machine, Files)
      const real = await run(Effect.orElseSucceed(files.resolve(path), () => path))
      const outcome = await run(ledger.exclusively(real)(Effect.promise(() => outcomeOf(work))))
      if ("thrown" in outcome) throw outcome.thrown
      return outcome.value
    },
    exec: execWith(services.shell, run)
  } satisfies ToolBindings
})
