/** What a command can find out about the secrets in heddle's own environment: nothing. */
import { writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { tempFolder } from "../layers/tools/TempFolder.ts"
import * as HostProcess from "../support/host/HostProcess.ts"
import { node } from "../support/host/RealNode.ts"

const secrets = {
  ANTHROPIC_API_KEY: "value-of-the-anthropic-key",
  HF_TOKEN: "value-of-the-hf-token",
  my_db_password: "value-of-a-password",
  MYSQL_PWD: "value-nobody-could-know-by-its-name"
}

/** Prints what the kernel shows of heddle and of everything above it that belongs to `bin/heddle.js`. */
const look = (levels: number) =>
  `pid=$PPID; for i in $(seq ${levels}); do tr '\\0' '\\n' < /proc/$pid/environ; tr '\\0' '\\n' < /proc/$pid/cmdline;
pid=$(sed 's/.*) //' /proc/$pid/stat | cut -d' ' -f2); done; env`

const outputOf = Effect.fnUntraced(function* (host: HostProcess.HostProcess, command: string) {
  host.send({ id: command, type: "bash", command })
  const { data } = yield* Effect.promise(() => host.until(HostProcess.answer(command)))
  return JSON.stringify(data)
})

describe.skipIf(process.platform !== "linux").concurrent("heddle's own environment", () => {
  /** A node that cannot replace itself stays as the parent. */
  const ways: ReadonlyArray<readonly [way: string, command: ReadonlyArray<string>, processes: number]> = [
    ["bun", [process.execPath, HostProcess.entry], 1],
    ...(node === undefined ? [] : [["node", [node, HostProcess.entry], 2] as const])
  ]
  it.scopedLive.each(ways)(
    "under %s a command sees no secret: in no environment and in no arguments",
    ([, command, n]) =>
      Effect.gen(function* () {
        const args = ["--provider", "openai", "--api-key", "value-of-an-option", "--no-session"]
        const host = yield* HostProcess.open({ command, env: secrets, args })
        const seen = yield* outputOf(host, look(n))
        assert.include(seen, "--api-key")
        assert.include(seen, "ANTHROPIC_API_KEY=")
        assert.notInclude(seen, "value-")
      })
  )

  it.scopedLive(
    "a key is still in force after commands have run, under its own name and under one of models.json",
    () =>
      Effect.gen(function* () {
        const keys: Array<string | undefined> = []
        const server = createServer((request, response) => {
          keys.push(request.headers.authorization)
          response.writeHead(400, { "content-type": "application/json" }).end(`{"error":{"message":"no"}}`)
        })
        yield* Effect.acquireRelease(
          Effect.async<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
          () => Effect.sync(() => server.close())
        )
        const address = server.address()
        const port = typeof address === "object" ? address?.port : 0
        const home = yield* tempFolder
        const model = (id: string) => ({ id, name: id, contextWindow: 1000, maxTokens: 100 })
        const provider = (apiKey: string) => ({
          baseUrl: `http://127.0.0.1:${port}/v1`,
          api: "openai-completions",
          apiKey,
          models: [model("m")]
        })
        // The command of the last one gets the whole environment.
        const providers = {
          named: provider("MY_OWN_TOKEN"),
          plain: provider("MY_VARIABLE"),
          command: provider('!printf %s "$MY_OWN_TOKEN-$MY_VARIABLE"')
        }
        writeFileSync(join(home, "models.json"), JSON.stringify({ providers }))
        const host = yield* HostProcess.open({
          env: { HEDDLE_AGENT_DIR: home, MY_OWN_TOKEN: "value-one", MY_VARIABLE: "value-two" },
          args: ["--model", "named/m", "--no-session", "--set", "retry.enabled=false"]
        })
        for (const name of Object.keys(providers)) {
          assert.notInclude(yield* outputOf(host, `${look(1)}; echo ${name}`), "value-")
          host.send({ id: `set ${name}`, type: "set_model", provider: name, modelId: "m" })
          yield* Effect.promise(() => host.until(HostProcess.answer(`set ${name}`)))
          host.send({ id: `p ${name}`, type: "prompt", message: "go" })
          yield* Effect.promise(() =>
            host.until((frame) => frame["type"] === "prompt_result" && frame["id"] === `p ${name}`)
          )
        }
        assert.deepStrictEqual(
          [...new Set(keys)],
          ["Bearer value-one", "Bearer value-two", "Bearer value-one-value-two"]
        )
      })
  )
})
