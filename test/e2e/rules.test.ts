/** Rules in the files of a project, over the real command: they fire, hold after a resume, and can be switched off. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as HostProcess from "../support/host/HostProcess.ts"

const { type } = HostProcess

const place = Effect.acquireRelease(
  Effect.sync(() => {
    const root = mkdtempSync(join(tmpdir(), "heddle-rules-e2e-"))
    mkdirSync(join(root, "work/.cursor/rules"), { recursive: true })
    mkdirSync(join(root, "home"))
    writeFileSync(
      join(root, "work/.cursor/rules/no-console.mdc"),
      "---\ndescription: Log properly\ncondition: console\\.log\n---\nUse the logger.\n"
    )
    const turns = [{ steps: [{ text: "I write console.log", chunk: 6 }] }, { steps: [{ text: "done" }] }]
    writeFileSync(join(root, "scenario.json"), JSON.stringify({ turns, atEnd: "repeat" }))
    return root
  }),
  (root) => Effect.sync(() => rmSync(root, { recursive: true }))
)

/** The types of what the model said and what rules did, in order. */
const prompt = (root: string, ...args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const scenario = `offline.scenario=${join(root, "scenario.json")}`
    const host = yield* HostProcess.open({
      args: ["--model", "offline/script", "--set", scenario, "--rpc-updates", "delta", ...args],
      cwd: join(root, "work"),
      home: join(root, "home")
    })
    host.send({ id: 1, type: "prompt", message: "go" })
    yield* Effect.promise(() => host.until(type("session_settled")))
    host.closeInput()
    yield* Effect.promise(() => host.exited)
    assert.strictEqual(host.stderr(), "")
    return host.frames().flatMap((frame): ReadonlyArray<unknown> => {
      if (frame["type"] === "ttsr_triggered") return [frame["rules"]]
      if (frame["type"] !== "message_end") return []
      const { role, stopReason }: Record<string, unknown> = JSON.parse(JSON.stringify(frame["message"]))
      return [stopReason ?? role]
    })
  })

it.scopedLive("a rule of an untrusted project fires once, also when the session is continued", () =>
  Effect.gen(function* () {
    const root = yield* place
    const fired = {
      name: "no-console",
      path: join(root, "work/.cursor/rules/no-console.mdc"),
      content: "Use the logger.",
      description: "Log properly",
      condition: ["console\\.log"]
    }
    assert.deepStrictEqual(yield* prompt(root), ["user", [fired], "aborted", "custom", "stop"])
    assert.deepStrictEqual(yield* prompt(root, "--continue"), ["user", "stop"])
    assert.deepStrictEqual(yield* prompt(root, "--no-rules"), ["user", "stop"])
    assert.deepStrictEqual(yield* prompt(root, "--set", "ttsr.enabled=false"), ["user", "stop"])
    assert.deepStrictEqual(yield* prompt(root, "--set", "ttsr.interruptMode=never"), ["user", "stop", "custom", "stop"])
  })
)
