/** Extensions that are marked as required: heddle does not start without them, and no tool runs where they are gone later. */
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { errors, plays } from "../../support/extensions/Pipes.ts"
import { assertSane, on } from "../../support/terminal/Sessions.ts"
import { makeHome } from "../command.ts"

const guard = `export default (pi) => { pi.on("session_start", (_, ctx) => ctx.ui.notify("the guard is here")) }\n`
const broken = `export default (pi) => {\n  const rules = = []\n}\n`
const brokenAt = /did not load: Unexpected = \(\S+broken\.ts:2:17\)\.$/m

/** A user with a project: what a start with these options writes, in every mode that ends by itself. */
const withFiles = (files: Readonly<Record<string, string | object>>) => {
  const home = makeHome()
  for (const [path, content] of Object.entries(files)) {
    const file = join(home.folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content))
  }
  const message = home.script([{ steps: [{ text: "Done." }] }])
  const start = (...args: ReadonlyArray<string>) => home.run(["go", "--no-session", ...message, ...args])
  const serve = (...args: ReadonlyArray<string>) => home.run(["--mode", "rpc", "--no-session", ...message, ...args])
  return { ...home, start, serve, [Symbol.dispose]: home.remove }
}

const modes = [
  ["text mode", ["-p"]],
  ["JSON mode", ["--mode", "json"]]
] as const

const ofProject = {
  ".heddle/settings.json": { requiredExtensions: ["guard.ts"] },
  ".heddle/guard.ts": guard
}

describe("a required extension that does not load ends the start", () => {
  it.each(modes)("in %s", async (_, mode) => {
    using home = withFiles({ "broken.ts": broken })
    const [required, wanted] = await Promise.all([
      home.start(...mode, "--require-extension", "broken.ts"),
      home.start(...mode, "-e", "broken.ts")
    ])
    assert.deepStrictEqual([required.code, required.out], [1, ""])
    assert.match(required.err, brokenAt)
    assert.deepStrictEqual([wanted.code, wanted.out.includes("Done.")], [0, true])
  })

  it("in RPC mode, with the sentence for programs", async () => {
    using home = withFiles({ "broken.ts": broken })
    const { code, err, out } = await home.serve("--require-extension", "broken.ts")
    assert.deepStrictEqual([code, out], [1, ""])
    assert.match(
      err,
      /"code":"STARTUP_ERROR","message":"The required extension \S+broken\.ts did not load: Unexpected =/
    )
  })

  it.live("at a terminal, which is left as it was", () =>
    on(
      { files: { "broken.ts": broken }, args: ["--require-extension", "broken.ts"], ready: /Error: The required/ },
      async (host) => {
        assert.strictEqual(await host.exited, 1)
        assertSane(host)
        assert.match(
          host.virtual.text().replaceAll("\n", ""),
          /Error: The required extension \S+broken\.ts did not load:/
        )
      }
    )
  )

  it.each<readonly [string, Readonly<Record<string, string | object>>, ReadonlyArray<string>, RegExp]>([
    [
      "a setting of the user names it",
      { "agent/settings.json": { requiredExtensions: ["../broken.ts"] }, "broken.ts": broken },
      [],
      brokenAt
    ],
    [
      "there is no such file",
      {},
      ["--require-extension", "gone.ts"],
      /^Error: --require-extension gone\.ts: no such file or folder$/m
    ],
    [
      "the file of a setting is gone",
      { "agent/settings.json": { requiredExtensions: ["gone.ts"] } },
      [],
      /extension gone\.ts did not load: no such file or folder\.$/m
    ],
    [
      "the package is not installed",
      { "agent/settings.json": { requiredExtensions: ["npm:guards"] } },
      [],
      /npm:guards did not load: is not installed; run: npm install/
    ],
    [
      "a folder has none",
      { "empty/README.md": "" },
      ["--require-extension", "empty"],
      /extension empty did not load: there is no extension\.$/m
    ],
    [
      "the setting is no list",
      { "agent/settings.json": { requiredExtensions: "guard.ts" }, "agent/guard.ts": guard },
      [],
      /requiredExtensions names did not load: the setting must be a list of paths\.$/m
    ],
    [
      "extensions are switched off",
      { "agent/settings.json": { requiredExtensions: ["guard.ts"] }, "agent/guard.ts": guard },
      ["-ne"],
      /guard\.ts did not load: --no-extensions leaves it out\.$/m
    ],
    [
      "its project is not trusted",
      ofProject,
      [],
      /guard\.ts did not load: this project requires it and is not trusted\. .*--approve/
    ],
    [
      "its project is refused",
      ofProject,
      ["--no-approve"],
      /guard\.ts did not load: this project requires it and is not trusted\./
    ],
    [
      "its project is trusted and it is broken",
      { ...ofProject, ".heddle/guard.ts": broken },
      ["-a"],
      /guard\.ts did not load: Unexpected = \(\S+guard\.ts:2:17\)\.$/m
    ]
  ])("also where %s", async (_, files, args, said) => {
    using home = withFiles(files)
    const [once, served] = await Promise.all([home.start(...args), home.serve(...args)])
    assert.deepStrictEqual([once.code, once.out, served.code, served.out], [1, "", 1, ""])
    assert.match(once.err, said)
    assert.match(served.err, said)
  })
})

describe("a required extension that loads", () => {
  it.each<readonly [string, Readonly<Record<string, string | object>>, ReadonlyArray<string>]>([
    ["from the command line", { "guard.ts": guard }, ["--require-extension", "guard.ts"]],
    [
      "from the command line, out of a project that is not trusted",
      { ".heddle/guard.ts": guard },
      ["--require-extension", ".heddle/guard.ts"]
    ],
    [
      "from a setting, also where it is disabled",
      {
        "agent/settings.json": { requiredExtensions: ["guard.ts"], disabledExtensions: ["guard"] },
        "agent/guard.ts": guard
      },
      []
    ],
    [
      "once, where a folder has it, too",
      { "agent/settings.json": { requiredExtensions: ["extensions/guard.ts"] }, "agent/extensions/guard.ts": guard },
      []
    ],
    ["from a project that is trusted", ofProject, ["--approve"]]
  ])("%s is there", async (_, files, args) => {
    using home = withFiles(files)
    const { code, err } = await home.start(...args)
    assert.deepStrictEqual([code, err.match(/the guard is here/g)?.length], [0, 1])
  })

  it("may be given up for one start", async () => {
    using home = withFiles(ofProject)
    const { code, err } = await home.start("--set", "requiredExtensions=[]")
    assert.deepStrictEqual([code, err.includes("the guard is here")], [0, false])
  })
})

describe("the question about a project that requires an extension", () => {
  const required = { ".heddle/guard.ts": guard, ".heddle/settings.json": '{"requiredExtensions":["guard.ts"]}' }
  const asking = { files: required, rows: 40 }

  it.live("ends the start when the answer is no", () =>
    on(asking, async (host) => {
      await host.until(/y for yes/)
      host.type("n")
      assert.strictEqual(await host.exited, 1)
      assert.match(host.virtual.text().replaceAll("\n", ""), /guard\.ts did not load: this project requires it/)
    })
  )

  it.live("lets it load when the answer is yes", () =>
    on(asking, async (host) => {
      await host.until(/y for yes/)
      host.type("y")
      await host.settled(/the guard is here/)
    })
  )
})

const reloads = `export default (pi) => { pi.registerCommand("reload", { handler: (_, ctx) => ctx.reload() }) }`

plays("no tool runs after a reload that the required extension did not survive", async (start, place) => {
  const file = place.put("guard.ts", guard)
  const pipes = await start({
    extensions: [place.put("other/reloads.ts", reloads)],
    args: ["--require-extension", file]
  })
  const { call, end, prompt, since } = pipes
  assert.deepInclude(await call("bash", { command: "echo hello" }), { isError: false })
  place.put("guard.ts", broken)
  await prompt("/reload")
  assert.deepInclude(
    errors(since(0)).map(([path, event]) => [path, event]),
    [file, "load"]
  )
  const blocked = await call("bash", { command: "echo hello" })
  assert.deepInclude(blocked, { isError: true })
  assert.match(
    blocked.text,
    /The required extension \S+guard\.ts did not load: Unexpected = .* No tool runs without it\./
  )
  place.put("guard.ts", guard)
  await prompt("/reload")
  assert.deepInclude(await call("bash", { command: "echo hello" }), { isError: false })
  assert.strictEqual(await end(), 0)
})
