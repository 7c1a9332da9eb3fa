/**
 * What it takes to add a module, a command and a transport to heddle: a copy of `src` gets one of each, and a host of its own
 * tries them. Beside new files, each may change at most three files that are there.
 */
import { spawn } from "node:child_process"
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { createConnection } from "node:net"
import { dirname, join, resolve } from "node:path"
import { createInterface } from "node:readline"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { tempFolder } from "./layers/tools/TempFolder.ts"

interface Addition {
  /** New files. */
  readonly own: Readonly<Record<string, string>>
  /** Lines that are put before a line of a file that is there. */
  readonly touched: ReadonlyArray<{ readonly file: string; readonly before: string; readonly line: string }>
}

const module: Addition = {
  own: {
    "src/services/session/modules/Notes.ts": `
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

export class Notes extends Context.Tag("heddle/services/session/modules/Notes")<
  Notes,
  { readonly add: (note: string) => Effect.Effect<number> }
>() {}
`,
    "src/layers/session/modules/notes/NotesModule.ts": `
import * as Effect from "effect/Effect"
import { Notes } from "../../../../services/session/modules/Notes.ts"
import * as SessionModule from "../../../../services/session/SessionModule.ts"

export const module = SessionModule.make(
  "notes",
  Notes,
  Effect.sync(() => {
    const kept: Array<string> = []
    return {
      service: Notes.of({ add: (note) => Effect.sync(() => kept.push(note)) }),
      run: () => ({
        opening: (add) => add({ customType: "notes", content: "Notes: " + kept.join(", "), display: true })
      })
    }
  })
)
`
  },
  touched: [
    {
      file: "src/layers/session/standard.ts",
      before: "export const ask = ",
      line: 'import * as NotesModule from "./modules/notes/NotesModule.ts"'
    },
    { file: "src/layers/session/standard.ts", before: "  .add(subagents)\n", line: "  .add(NotesModule.module)" }
  ]
}

const command: Addition = {
  own: {
    "src/rpc/notes/commands.ts": `
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Notes } from "../../services/session/modules/Notes.ts"
import * as Command from "../Command.ts"

const addNote = Command.make({
  name: "add_note",
  lane: "ordered",
  summary: "Keeps a note.",
  origin: ["ours"],
  params: Schema.Struct({ note: Schema.String }),
  result: Schema.Struct({ notes: Schema.Int }),
  errors: ["invalid_state"],
  run: Effect.fnUntraced(function* ({ note }) {
    const notes = yield* Effect.serviceOption(Notes)
    if (Option.isNone(notes)) return yield* new Command.CommandFailure({ code: "invalid_state", message: "no notes" })
    return { notes: yield* notes.value.add(note) }
  })
})

export const commands = [addNote]
`
  },
  touched: [
    {
      file: "src/rpc/registry.ts",
      before: "import * as todos from",
      line: 'import * as notes from "./notes/commands.ts"'
    },
    { file: "src/rpc/registry.ts", before: "  ...todos.commands,", line: "  ...notes.commands," }
  ]
}

const transport: Addition = {
  own: {
    "src/layers/machine/socket/SocketTransport.ts": `
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Mailbox from "effect/Mailbox"
import { createServer } from "node:net"
import { HostGone, Transport } from "../../../services/host/Transport.ts"

/** Waits for one host on a port of this machine, and says on which. */
export const layer = Layer.scoped(
  Transport,
  Effect.gen(function* () {
    const input = yield* Mailbox.make<Uint8Array>()
    const socket = yield* Effect.async((resume) => {
      const server = createServer({ allowHalfOpen: true }, (socket) => {
        server.close()
        socket.on("data", (bytes) => input.unsafeOffer(bytes))
        socket.on("end", () => input.unsafeDone(Exit.void))
        resume(Effect.succeed(socket))
      })
      server.listen(0, "127.0.0.1", () => console.log(server.address().port))
    })
    return {
      input,
      write: (text) =>
        Effect.async((resume) => {
          socket.write(text, (cause) => resume(cause ? new HostGone({ cause }) : Effect.void))
        }),
      gather: Effect.yieldNow()
    }
  })
)
`,
    "main.ts": `
import { Effect, Layer } from "effect"
import * as EmbeddedAgent from "./src/layers/Embedded.ts"
import * as ProviderRegistry from "./src/layers/models/providers/ProviderRegistry.ts"
import { make, text } from "./src/layers/models/providers/StreamProvider.ts"
import * as SocketTransport from "./src/layers/machine/socket/SocketTransport.ts"
import * as Server from "./src/rpc/Server.ts"
import { Stream } from "effect"

const provider = make({ id: "parrot", stream: ({ messages }) => text(Stream.make(JSON.stringify(messages))) })
const agent = EmbeddedAgent.layerSessions({ cwd: ".", model: provider.models[0] }).pipe(
  Layer.provideMerge(ProviderRegistry.layerOwn([provider]))
)
const serve = Server.serve({ version: "0.0.0", updates: "delta", drain: false, uptime: Effect.succeed(0) })
await Effect.runPromise(Effect.provide(serve, Layer.merge(agent, SocketTransport.layer)))
process.exit(0)
`
  },
  touched: []
}

const root = resolve(import.meta.dirname, "..")

const apply = (copy: string, { own, touched }: Addition) => {
  for (const [file, text] of Object.entries(own)) {
    mkdirSync(dirname(join(copy, file)), { recursive: true })
    writeFileSync(join(copy, file), text)
  }
  for (const { before, file, line } of touched) {
    const text = readFileSync(join(copy, file), "utf8")
    assert.include(text, before, file)
    writeFileSync(join(copy, file), text.replace(before, `${line}\n${before}`))
  }
  return new Set(touched.map(({ file }) => file)).size
}

interface Frame {
  readonly type: string
  readonly id?: string
  readonly success?: boolean
  readonly data?: unknown
  readonly message?: unknown
}

/** A process that ends with the scope, and a function that sends a frame to it and reads up to one that fits. */
const open = Effect.fnUntraced(function* (copy: string) {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(process.execPath, ["run", "main.ts"], { cwd: copy, stdio: ["ignore", "pipe", "inherit"] })),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  const port = yield* Effect.promise(
    () => new Promise<number>((resolve) => child.stdout.once("data", (text) => resolve(Number(text))))
  )
  const socket = createConnection(port, "127.0.0.1")
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]()
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve))
  return {
    ended: Effect.promise(() => ended),
    close: Effect.sync(() => void socket.end()),
    ask: (frame: object, fits: (frame: Frame) => boolean) =>
      Effect.promise(async () => {
        socket.write(`${JSON.stringify(frame)}\n`)
        for (;;) {
          const { done, value } = await lines.next()
          if (done === true) throw new Error(`no answer to ${JSON.stringify(frame)}`)
          const read: Frame = JSON.parse(value)
          if (fits(read)) return read
        }
      })
  }
})

it.scopedLive(
  "a module, a command and a transport change at most three files each, and work",
  () =>
    Effect.gen(function* () {
      const copy = yield* tempFolder
      cpSync(join(root, "src"), join(copy, "src"), { recursive: true })
      for (const file of ["package.json", "tsconfig.json"]) cpSync(join(root, file), join(copy, file))
      symlinkSync(join(root, "node_modules"), join(copy, "node_modules"))
      const counts = [module, command, transport].map((addition) => apply(copy, addition))
      assert.deepStrictEqual(counts, [1, 1, 0])
      for (const count of counts) assert.isAtMost(count, 3)

      const { ask, close, ended } = yield* open(copy)
      const answered = (id: string) => (frame: Frame) => frame.type === "response" && frame.id === id
      const { data } = yield* ask({ id: "a", type: "add_note", note: "the loom is new" }, answered("a"))
      assert.deepStrictEqual(data, { notes: 1 })
      // The step of the module tells the model, which repeats what it was sent.
      yield* ask({ id: "p", type: "prompt", message: "Hello" }, ({ type }) => type === "agent_end")
      const said = yield* ask({ id: "t", type: "get_last_assistant_text" }, answered("t"))
      assert.include(JSON.stringify(said.data), "Notes: the loom is new")
      yield* close
      assert.strictEqual(yield* ended, 0)
    }),
  60_000
)
