/**
 * Golden transcripts: `#` says why (and `# scenario: {…}` what the model plays, `# commands: […]` which slash commands there are, `# rules: {…}` which rules, `# hooks: […]` which hooks, `# dialect: …`, `# agent end: …`), `>` is a line of the host (lines in a
 * row arrive in one chunk), `<` a line of ours, compared byte for byte, and `! clock <ms>` / `! touch <file>` / `! eof`
 * are what else happens. An extension calls a method of the agent in `! send …`, `! sendUser …`, `! appendEntry …` and
 * `! setLabel …`, with its arguments as a JSON list. `! publish {…}` is an event that the session has published. `GOLDEN_WRITE=1` rewrites our lines; the diff is for review.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Context, Duration, Effect, Fiber, Layer, Option, TestClock } from "effect"
import * as MemoryBudget from "../../../src/layers/budget/MemoryBudget.ts"
import * as HostSessions from "../../../src/layers/agent/sessions/HostSessions.ts"
import * as HtmlExport from "../../../src/layers/export/HtmlExport.ts"
import * as SwitchedUi from "../../../src/layers/host/SwitchedUi.ts"
import * as Offline from "../../../src/layers/providers/offline/Offline.ts"
import * as ProviderRegistry from "../../../src/layers/providers/ProviderRegistry.ts"
import * as MemorySessionStore from "../../../src/layers/session/MemorySessionStore.ts"
import * as LocalFiles from "../../../src/layers/platform/files/LocalFiles.ts"
import * as LocalProcesses from "../../../src/layers/platform/processes/LocalProcesses.ts"
import type { AgentPlan } from "../../../src/layers/session/SessionPlan.ts"
import { standard } from "../../../src/layers/session/standard.ts"
import * as StaticSettings from "../../../src/layers/settings/StaticSettings.ts"
import * as LocalShell from "../../../src/layers/tools/shell/LocalShell.ts"
import * as ToolRegistry from "../../../src/layers/tools/ToolRegistry.ts"
import type { AgentEvent } from "../../../src/domain/conversation/AgentEvent.ts"
import { Agent, type EventSink, userPrompt } from "../../../src/services/Agent.ts"
import { dialectNames, settingsOf } from "../../../src/services/host/Dialect.ts"
import { ExtensionEntries } from "../../../src/services/Sending.ts"
import { Sessions, type SessionServices } from "../../../src/services/session/Sessions.ts"
import { SessionStore } from "../../../src/services/session/SessionStore.ts"
import { fixed, Trust } from "../../../src/services/Trust.ts"
import * as Server from "../../../src/rpc/Server.ts"
import * as FixedIds from "../agent/FixedIds.ts"
import * as RuleTexts from "../agent/RuleTexts.ts"
import * as SlashFakes from "../agent/SlashFakes.ts"
import * as HookFakes from "../hooks/HookFakes.ts"
import * as FullStore from "../sessions/FullStore.ts"
import * as UiTool from "./UiTool.ts"
import * as TestHost from "./TestHost.ts"

type Step =
  | { readonly kind: "send"; readonly lines: Array<string> }
  | { readonly kind: "expect"; readonly lines: Array<string> }
  | { readonly kind: "act"; readonly lines: Array<string> }

const kinds = { ">": "send", "<": "expect", "!": "act" } as const

export const parse = (text: string): ReadonlyArray<Step> => {
  const steps: Array<Step> = []
  for (const line of text.split("\n")) {
    const kind = line[0] === ">" || line[0] === "<" || line[0] === "!" ? kinds[line[0]] : undefined
    if (kind === undefined) continue
    const last = steps.at(-1)
    if (last?.kind === kind && kind !== "act") last.lines.push(line.slice(2))
    else steps.push({ kind, lines: [line.slice(2)] })
  }
  return steps
}

const header = (text: string, name: string): string | undefined => new RegExp(`^# ${name}: (.*)$`, "m").exec(text)?.[1]

const workspace = Effect.acquireRelease(
  Effect.sync(() => {
    const root = mkdtempSync(join(tmpdir(), "heddle-golden-"))
    const cwd = join(root, "work")
    mkdirSync(cwd)
    writeFileSync(join(cwd, "notes.txt"), "first line\nsecond line\n")
    writeFileSync(join(cwd, "README.md"), "# Sample\n\nA small folder.\n")
    return { root, cwd }
  }),
  ({ root }) => Effect.sync(() => rmSync(root, { recursive: true }))
)

const memory = MemorySessionStore.layer

const agent = (
  cwd: string,
  scenario: Option.Option<string>,
  settings: object,
  store: typeof memory,
  hasUiTool: boolean,
  plan: AgentPlan
) =>
  Layer.unwrapScoped(
    Effect.map(Offline.make({ scenario, cwd }), (offline) =>
      HtmlExport.layer({ cwd }).pipe(
        Layer.provideMerge(
          HostSessions.layer({
            cwd,
            plan,
            scopedModels: [],
            first: Effect.orDie(Effect.flatMap(SessionStore, (store) => store.create({}))),
            start: () =>
              Effect.succeed({ model: Option.isSome(scenario) ? Offline.script : Offline.guide, thinkingLevel: "off" })
          })
        ),
        Layer.provideMerge(ToolRegistry.layer({ cwd })),
        Layer.provideMerge(LocalShell.layer({ cwd })),
        Layer.provideMerge(ProviderRegistry.layerOwn([offline])),
        Layer.provideMerge(store({ cwd: "/work" })),
        Layer.provideMerge(MemoryBudget.layer({})),
        Layer.provideMerge(
          Layer.mergeAll(
            UiTool.layer(hasUiTool).pipe(Layer.provideMerge(SwitchedUi.layer)),
            LocalFiles.layer,
            LocalProcesses.layer,
            FixedIds.layer
          )
        ),
        Layer.provideMerge(StaticSettings.layer({ "rpc.maxFrameBytes": 4096, ...settings }))
      )
    )
  )

/** What an extension calls of its session. */
const extensionCalls = (services: Context.Context<SessionServices>) => {
  const { prompt, send } = Context.get(services, Agent)
  const sendUser = (...said: Parameters<typeof userPrompt>) => prompt(userPrompt(...said))
  const { append, setLabel } = Context.get(services, ExtensionEntries)
  return { send, sendUser, appendEntry: append, setLabel }
}

const isExtensionCall = (name: string) => ["send", "sendUser", "appendEntry", "setLabel"].includes(name)

type Publish = (event: AgentEvent) => void

/** Sessions whose events can also come from elsewhere: what a test publishes reaches whoever is attached. */
const tapped = (sessions: typeof Sessions.Service) => {
  const sinks: Array<EventSink> = []
  const publish: Publish = (event) => {
    for (const sink of sinks) sink.offer(event)
  }
  const follow: typeof sessions.follow = (enter) =>
    sessions.follow((session) =>
      Effect.tap(enter(session), (sink) => {
        sinks.push(sink)
      })
    )
  return { publish, sessions: { ...sessions, follow } }
}

const act = (
  host: TestHost.TestHost,
  { publish, sessions }: ReturnType<typeof tapped>,
  cwd: string,
  action: string
): Effect.Effect<unknown, unknown> => {
  const [what, amount = ""] = action.split(" ")
  if (what === "eof") return host.close
  if (what !== undefined && isExtensionCall(what)) {
    const args = JSON.parse(action.slice(what.length))
    return Effect.flatMap(sessions.current, (current) =>
      Reflect.apply(Reflect.get(extensionCalls(current), what), null, args)
    )
  }
  if (what === "publish") return Effect.sync(() => publish(JSON.parse(action.slice("publish".length))))
  if (what === "touch") return Effect.sync(() => writeFileSync(join(cwd, amount), ""))
  return TestClock.adjust(Duration.millis(Number(amount)))
}

/** `GOLDEN_WRITE=1` makes a transcript anew; `same` keeps its shape, line for line, and is safe on a busy machine. */
const mode = process.env["GOLDEN_WRITE"]

type Written = Effect.Effect<ReadonlyArray<string>>

/**
 * Plays a transcript against a fresh server, and returns it as it went. `written` reads what we have written before
 * the host goes on; without it our lines are read by the count of those that are expected.
 */
export const perform = Effect.fnUntraced(function* (
  text: string,
  written?: (host: TestHost.TestHost) => Written,
  plan: AgentPlan = standard
) {
  const { cwd, root } = yield* workspace
  const scenario = Option.map(Option.fromNullable(header(text, "scenario")), (json) => {
    const file = join(root, "scenario.json")
    writeFileSync(file, json)
    return file
  })
  const host = yield* TestHost.make
  const updates = header(text, "updates") === "full" ? "full" : "delta"
  const dialect = dialectNames.find((name) => name === header(text, "dialect"))
  const agentEnd = header(text, "agent end") === "per-attempt" ? "per-attempt" : undefined
  const settings = { ...settingsOf(dialect), ...JSON.parse(header(text, "settings") ?? "{}") }
  const store = header(text, "store") === "full" ? FullStore.layer : memory
  const notice = header(text, "left out")
  const trust = Layer.succeed(Trust, notice === undefined ? fixed("trusted") : fixed("untrusted", notice))
  const hasUiTool = header(text, "ui tool") !== undefined
  const hooks = HookFakes.layer(JSON.parse(header(text, "hooks") ?? "[]"))
  const rules = RuleTexts.layer(JSON.parse(header(text, "rules") ?? "{}"))
  const session = Layer.provide(agent(cwd, scenario, settings, store, hasUiTool, plan), [hooks, rules])
  const layers = Layer.mergeAll(session, host.layer, trust)
  const context = yield* Layer.build(layers)
  const tap = tapped(Context.get(context, Sessions))
  const serving = yield* Server.serve({
    version: "0.0.0",
    updates,
    ...(dialect === undefined ? {} : { dialect }),
    ...(agentEnd === undefined ? {} : { agentEnd }),
    ui: header(text, "no ui") === undefined,
    emitTitle: header(text, "titles") !== undefined,
    drain: header(text, "drain") !== undefined,
    uptime: Effect.succeed(0)
  }).pipe(
    Effect.provide(SlashFakes.layer(JSON.parse(header(text, "commands") ?? "[]"))),
    Effect.provideService(Sessions, tap.sessions),
    Effect.provide(context),
    Effect.fork
  )
  const went: Array<string> = text.split("\n").filter((line) => line.startsWith("#"))
  const note = (lines: ReadonlyArray<string>) => went.push(...lines.map((line) => `< ${line}`))
  for (const step of parse(text)) {
    if (step.kind === "expect") {
      if (written !== undefined) continue
      const got = yield* host.receive(step.lines.length)
      note(got)
      if (mode !== "same") assert.deepStrictEqual(got, step.lines)
      continue
    }
    if (written !== undefined) note(yield* written(host))
    went.push(...step.lines.map((line) => `${step.kind === "send" ? ">" : "!"} ${line}`))
    if (step.kind === "send") yield* host.send(...step.lines)
    else yield* act(host, tap, cwd, step.lines.join())
  }
  if (written !== undefined) note(yield* written(host))
  yield* host.close
  yield* Fiber.join(serving)
  assert.deepStrictEqual(yield* host.rest, [], "nothing more is written")
  return went
}, Effect.scoped)

/** Plays one file, and rewrites it if `GOLDEN_WRITE` says so. */
export const play = Effect.fnUntraced(function* (path: string, plan?: AgentPlan) {
  const text = readFileSync(path, "utf8")
  const went = yield* perform(text, mode === "1" ? ({ receiveQuiet }) => receiveQuiet : undefined, plan)
  if (mode !== undefined) writeFileSync(path, `${went.join("\n")}\n`)
})
