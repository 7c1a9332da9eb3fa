/** The judge of `npm run compat` sees what it is there to see: what a host does not show is a failure with its reason. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { Failure } from "./host/Host.ts"
import * as Place from "./host/Place.ts"
import type { Session } from "./host/Session.ts"
import * as More from "./More.ts"
import { type Behaviour, expect, type Package, same } from "./Package.ts"
import * as Runner from "./Runner.ts"

const fake = join(import.meta.dirname, "host/fakeHost.ts")
let root = ""
beforeEach(() => void (root = mkdtempSync(join(tmpdir(), "heddle-compat-test-"))))
afterEach(() => rmSync(root, { recursive: true, force: true }))

const contextWith = (...options: ReadonlyArray<string>): Runner.Context => ({
  root,
  target: (place) => ({
    command: [process.execPath, fake, ...options],
    cwd: place.work,
    env: Place.environment(place)
  }),
  examples: async () => root
})

const packageOf = (...checks: ReadonlyArray<Behaviour["check"]>): Package => ({
  source: { example: "any.ts" },
  behaviours: checks.map((check, index) => ({ title: `${index}`, check }))
})

const reasons = async (pkg: Package, context = contextWith()) =>
  (await Runner.runPackage(pkg, 1, context)).map(({ reason }) => reason)

const askAndTake = async (session: Session) => {
  const result = session.call("ask", {})
  const dialog = await session.dialog("select")
  same(dialog.options, ["a", "b"], "the list of options")
  dialog.answer({ value: "b" })
  same((await result).text, "chose b", "the result")
}

describe("a package", () => {
  it("passes when its behaviours show and it ends cleanly", async () => {
    const commands = async (session: Session) => same(await session.commands(), ["known"], "the commands")
    const known = async (session: Session) => {
      await session.handled("/known")
      await session.notice("known")
    }
    assert.deepStrictEqual(await reasons(packageOf(askAndTake, known, commands, (session) => session.prompt("hi"))), [
      undefined,
      undefined,
      undefined,
      undefined,
      undefined
    ])
  })

  it("fails where the value is another one, and only there", async () => {
    const wrong = async (session: Session) => same((await session.call("plain", {})).text, "other", "the result")
    assert.deepStrictEqual(await reasons(packageOf(wrong, askAndTake)), [
      "the result is done, not other",
      undefined,
      undefined
    ])
  })

  it("fails at once when the run ends without the dialog, the tool or the extension", async () => {
    const noDialog = async (session: Session) => {
      void session.call("plain", {})
      await session.dialog("select")
    }
    const noTool = async (session: Session) => void (await session.call("absent", {}))
    const noCommand = async (session: Session) => {
      void session.handled("/unknown")
      await session.dialog("input")
    }
    assert.deepStrictEqual(await reasons(packageOf(noDialog, noTool, noCommand)), [
      "the run ended without a select dialog",
      "the run ended without a result of absent",
      "/unknown was not handled by an extension: disposition started",
      "no behaviour showed, so a clean end says nothing"
    ])
  })

  it("fails with the last words of a host that dies, and goes on with what is left", async () => {
    const die = (session: Session) => session.prompt("die")
    const [first, second, last] = await reasons(packageOf(die, askAndTake))
    assert.match(first ?? "", /^the host ended before the response .*: the fake host was told to die$/)
    assert.match(second ?? "", /^the host ended before /)
    assert.strictEqual(last, "no behaviour showed, so a clean end says nothing")
  })

  it("fails when stdout has more than frames, or the host exits in another way", async () => {
    const noisy = await reasons(packageOf(askAndTake), contextWith("--noisy"))
    assert.deepStrictEqual(noisy, [undefined, 'what stdout has beside frames is ["not a frame"], not []'])
    const die = async (session: Session) => session.prompt("die").catch(() => undefined)
    const died = await reasons(packageOf(askAndTake, die))
    assert.deepStrictEqual(
      died.at(-1),
      'the exit after the end of stdin is {"code":3,"signal":null}, not {"code":0,"signal":null}'
    )
  })

  it("fails as a whole when it cannot be fetched", async () => {
    const context = { ...contextWith(), examples: () => Promise.reject(new Failure("no registry")) }
    assert.deepStrictEqual(await reasons(packageOf(askAndTake), context), ["no registry", "no registry"])
  })

  it("says so when the check itself is wrong", async () => {
    const broken = async () => expect(JSON.parse("{") === 1, "never")
    assert.match((await reasons(packageOf(broken)))[0] ?? "", /^the check itself failed: SyntaxError/)
  })
})

describe("--more", () => {
  const candidate = (...commands: ReadonlyArray<string>) => ({ example: "any.ts", commands, tools: [] })
  it("takes a package that shows what it shows in pi", async () => {
    const { reason, seen } = await More.tryOne(candidate("known"), 1, contextWith("--extensions"))
    assert.deepStrictEqual({ reason, seen }, { reason: undefined, seen: { commands: ["known"], tools: [] } })
  })

  it("names the commands that are missing", async () => {
    const { reason } = await More.tryOne(candidate("known", "other"), 1, contextWith("--extensions"))
    assert.strictEqual(reason, "in pi it has also /other")
  })

  it("fails in a host that loads no extensions", async () => {
    const { reason } = await More.tryOne(candidate(), 1, contextWith())
    assert.strictEqual(reason, "the host does not load the extension that was given with it")
  })
})

it("twoAtATime keeps the order and never has three at work", async () => {
  let [active, most] = [0, 0]
  const results = await Runner.twoAtATime([3, 1, 2, 5], async (item) => {
    most = Math.max(most, ++active)
    for (let turn = 0; turn < item; turn++) await Promise.resolve()
    active--
    return item * 10
  })
  assert.deepStrictEqual({ results, most }, { results: [30, 10, 20, 50], most: 2 })
})
