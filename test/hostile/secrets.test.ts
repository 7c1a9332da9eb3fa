/**
 * Keys and passwords that heddle knows, in every place where they are kept, against everything that could repeat them: no
 * frame, log line, session file, artifact or exported page has one, and the requests still do.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, type Scope } from "effect"
import * as HostProcess from "../support/host/HostProcess.ts"
import { wordsOf } from "../support/hostile/Wire.ts"
import * as LoopbackModel from "../support/LoopbackModel.ts"

const { answer } = HostProcess

const secrets = {
  environment: "sk-env-aaaaaaaaaaaa",
  envFile: "gsk-file-bbbbbbbbbb",
  stored: "sk-auth-cccccccccccc",
  access: "oauth-access-dddddddd",
  refresh: "oauth-refresh-eeeeee",
  inModelsFile: 'models-"key"-ffffff',
  header: "header-value-gggggg",
  password: "p@ssword-hhhhhhhh",
  query: "query-token-iiiiii"
}
const spelled = [...Object.values(secrets), "p%40ssword-hhhhhhhh", String.raw`models-\"key\"-ffffff`]

const leaks = (text: string) => spelled.filter((secret) => text.includes(secret))

interface Place {
  readonly home: string
  readonly agentDir: string
  readonly work: string
}

const place: Effect.Effect<Place, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => {
    const home = mkdtempSync(join(tmpdir(), "heddle-secrets-"))
    const [agentDir, work] = [join(home, "agent"), join(home, "work")]
    mkdirSync(agentDir)
    mkdirSync(work)
    return { home, agentDir, work }
  }),
  ({ home }) => Effect.sync(() => rmSync(home, { recursive: true, force: true }))
)

const fill = ({ agentDir, home, work }: Place, baseUrl: string) => {
  const address = `${baseUrl.replace("//", "//bob:p%40ssword-hhhhhhhh@")}/v1?token=${secrets.query}&api-version=2`
  const lab = {
    baseUrl: address,
    api: "openai-completions",
    auth: "none",
    headers: { "x-team": secrets.header },
    models: [{ id: "weaver" }, { id: "other" }]
  }
  const spare = { baseUrl: `${baseUrl}/v1`, api: "openai-completions", apiKey: secrets.inModelsFile }
  writeFileSync(join(agentDir, "models.json"), JSON.stringify({ providers: { lab, spare } }))
  const oauth = { type: "oauth", access: secrets.access, refresh: secrets.refresh, expires: 1 }
  const auth = { anthropic: oauth, openrouter: { type: "api_key", key: secrets.stored } }
  writeFileSync(join(agentDir, "auth.json"), JSON.stringify(auth), { mode: 0o600 })
  writeFileSync(join(home, ".env"), `GROQ_API_KEY=${secrets.envFile}\n`)
  writeFileSync(join(work, "leak.txt"), `${spelled.join("\n")}\n`)
}

const environment = ({ agentDir, home }: Place) => ({
  HOME: home,
  HEDDLE_AGENT_DIR: agentDir,
  OPENAI_API_KEY: secrets.environment
})

const open = (folder: Place, ...args: ReadonlyArray<string>) =>
  HostProcess.open({ env: environment(folder), args: ["--cwd", folder.work, "--verbose", ...args] })

/** Everything that heddle wrote below the folder of the user. */
const written = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile() && file.name !== "models.json" && file.name !== "auth.json")
    .map((file) => readFileSync(join(file.parentPath, file.name), "utf8"))
    .join("\n")

const pageText = (path: string): string => {
  const html = readFileSync(path, "utf8")
  const session = /id="session">([^<]*)</.exec(html)?.[1] ?? ""
  return html + Buffer.from(session, "base64").toString("utf8")
}

const words = wordsOf("openai-completions")

const calls = (...all: ReadonlyArray<readonly [string, object]>): LoopbackModel.Answer =>
  LoopbackModel.sse(
    words.start,
    ...all.map(([name, args], n) => words.toolCall(n, `call_${n}`, name, JSON.stringify(args))),
    words.finishTools
  )

const done = LoopbackModel.sse(words.start, words.text("done"), words.finish)

const isResult = (id: string) => (frame: HostProcess.Frame) => frame["type"] === "prompt_result" && frame["id"] === id
const isHostCall = HostProcess.type("host_tool_call")

/** A key in two writes, and far more output than is kept. */
const halves = `head -c 10 leak.txt; sleep 0.2; tail -c +11 leak.txt; seq 1 60000; cat leak.txt`

const hostTool = { name: "consult", description: "asks", parameters: { type: "object", properties: {} } }
const says = (text: string) => ({ content: [{ type: "text", text }], details: { deep: [{ text }] } })

it.scopedLive("no tool, model server, log or page shows a secret; requests carry them", () =>
  Effect.gen(function* () {
    const folder = yield* place
    const refused = LoopbackModel.json(401, { error: { message: `wrong: ${spelled.join(" ")}` } })
    const server = yield* LoopbackModel.make(
      calls(["bash", { command: halves }], ["read", { path: "leak.txt" }], ["grep", { pattern: "a" }], ["consult", {}]),
      done,
      refused
    )
    fill(folder, server.baseUrl)
    const host = yield* open(folder, "--provider", "lab", "--model", "weaver")
    yield* Effect.promise(async () => {
      host.send(
        { type: "set_host_tools", id: "tools", tools: [hostTool] },
        { type: "get_available_models", id: "models" },
        { type: "set_model", id: "set", provider: "lab", modelId: "other" },
        { type: "cycle_model", id: "cycle" },
        { type: "set_model", id: "back", provider: "lab", modelId: "weaver" },
        { type: "get_state", id: "state" },
        { type: "bash", id: "bash", command: halves },
        { type: "prompt", id: "go", message: "Look around." }
      )
      const { id } = await host.until(isHostCall)
      const said = spelled.join(" ")
      host.send(
        { type: "host_tool_update", id, partialResult: says(said) },
        { type: "host_tool_result", id, result: says(said) }
      )
      assert.strictEqual((await host.until(isResult("go")))["status"], "completed")
      host.send({ type: "prompt", id: "again", message: "And now?" })
      assert.strictEqual((await host.until(isResult("again")))["status"], "error")
      await host.until(answer("bash"))
      host.send({ type: "export_html", id: "page", outputPath: "page.html" })
      await host.until(answer("page"))
    })
    const shown = host.lines.join("\n")
    assert.deepStrictEqual(leaks(shown), [])
    assert.deepStrictEqual(leaks(host.stderr()), [])
    assert.deepStrictEqual(leaks(written(folder.agentDir)), [])
    assert.deepStrictEqual(leaks(pageText(join(folder.work, "page.html"))), [])
    assert.match(shown, /\/\/\[redacted\]@127\.0\.0\.1:\d+\/v1\?token=\[redacted\]&api-version=2/)
    // There was something to hide, and the long output has its file.
    assert.include(shown, String.raw`[redacted]\n[redacted]\n[redacted]`)
    assert.match(written(folder.agentDir), /60000\n\[redacted\]/)
    const { headers, path } = yield* server.requests.take
    assert.strictEqual(path, `/v1/chat/completions?token=${secrets.query}&api-version=2`)
    assert.strictEqual(headers["authorization"], `Basic ${Buffer.from("bob:p@ssword-hhhhhhhh").toString("base64")}`)
    assert.strictEqual(headers["x-team"], secrets.header)
  })
)

it.scopedLive("a session of an earlier version is masked when it is exported", () =>
  Effect.gen(function* () {
    const folder = yield* place
    fill(folder, "http://127.0.0.1:1")
    const session = join(folder.work, "old.jsonl")
    const message = {
      role: "toolResult",
      toolCallId: "c",
      toolName: "read",
      content: [{ type: "text", text: spelled.join("\n") }],
      isError: false,
      timestamp: 1
    }
    const prompt = { role: "user", content: `about ${secrets.stored}`, timestamp: 1 }
    const timestamp = "2026-01-01T00:00:00.000Z"
    const lines = [
      { type: "session", version: 3, id: "s-1", timestamp, cwd: folder.work },
      { type: "message", id: "e0000001", parentId: null, timestamp, message: prompt },
      { type: "message", id: "e0000002", parentId: "e0000001", timestamp, message }
    ]
    writeFileSync(session, lines.map((line) => `${JSON.stringify(line)}\n`).join(""))
    const { exitCode } = Bun.spawnSync(
      [process.execPath, HostProcess.entry, "--cwd", folder.work, "--export", session, join(folder.work, "old.html")],
      { env: environment(folder) }
    )
    assert.strictEqual(exitCode, 0)
    const page = pageText(join(folder.work, "old.html"))
    assert.deepStrictEqual(leaks(page), [])
    assert.include(page, "about [redacted]")
  })
)

it.scopedLive("a server that asks for its models shows no password in the log", () =>
  Effect.gen(function* () {
    const folder = yield* place
    const asked = yield* Deferred.make<string>()
    const answer = ({ url }: Request) => {
      Deferred.unsafeDone(asked, Effect.succeed(url.slice(new URL(url).origin.length)))
      return new Response("no", { status: 500 })
    }
    const server = yield* Effect.acquireRelease(
      Effect.sync(() => Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: answer })),
      (running) => Effect.promise(() => running.stop(true))
    )
    fill(folder, `http://127.0.0.1:${server.port}`)
    const host = yield* open(folder, "--model", "offline/guide", "--set", 'models.discover=["lab"]')
    yield* Effect.promise(() => host.untilStderr(/no models from lab/))
    assert.strictEqual(yield* Deferred.await(asked), `/v1/models?token=${secrets.query}&api-version=2`)
    assert.match(host.stderr(), /\[redacted\]@127\.0\.0\.1:\d+\/v1\/models\?token=\[redacted\]&api-version=2/)
    assert.deepStrictEqual(leaks(host.stderr()), [])
  })
)
