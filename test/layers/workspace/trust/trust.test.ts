import { mkdirSync, realpathSync, rmSync, statSync, symlinkSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, TestClock } from "effect"
import { defaults } from "../../../../src/services/Settings.ts"
import { code } from "../../pi/discovery/support.ts"
import { answering, makeProject, projectFiles, start } from "./support.ts"

const everything = "shellPath, packages, extensions, .heddle/extensions, OPENAI_API_KEY in .env"
const advice = "To allow them, start heddle with --approve, or put the settings into your own settings.json."
const leftOut = `This project is not trusted, so these were left out: ${everything}. ${advice}`
const yes =
  "This project is trusted: its extensions load. Its settings and the keys in its .env count from the next start."
const no = "This project is not trusted."

describe("an answer", () => {
  it.scoped("yes raises the level at once, is stored, and counts at the next start", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 0, 2))
      const place = yield* makeProject()
      const first = yield* start(place)
      assert.deepStrictEqual(
        [first.trust.atStart, first.trust.isDecided, first.trust.notice],
        ["untrusted", false, leftOut]
      )
      assert.deepStrictEqual(first.logged, [leftOut])
      const user = answering(true)
      assert.deepStrictEqual(yield* first.trust.ask(user.confirm), { level: "trusted", notice: yes })
      assert.deepStrictEqual([yield* first.trust.level, first.trust.atStart], ["trusted", "untrusted"])
      assert.deepStrictEqual(yield* first.trust.ask(user.confirm), { level: "trusted" })
      assert.deepStrictEqual(user.asked, [
        {
          title: "Trust this project?",
          message:
            `${place.cwd} has code or settings that can run anything with your rights. ` +
            "Extensions: .heddle/extensions/gate.ts, .heddle/extensions/tools/index.ts, scripts/more.ts, pack/extensions/k.ts. " +
            "Settings and keys: shellPath, packages, extensions, OPENAI_API_KEY in .env. Say yes only if you know who wrote them."
        }
      ])
      const { folders, version } = place.stored()
      const { at, decision, digest, parts } = folders[place.cwd]
      assert.deepStrictEqual(
        [version, Object.keys(folders), decision, at],
        [1, [place.cwd], "trusted", "2026-01-02T00:00:00.000Z"]
      )
      assert.match(digest, /^[0-9a-f]{64}$/)
      assert.deepStrictEqual(Object.keys(parts).toSorted(), [
        ".heddle/extensions/gate.ts",
        ".heddle/extensions/tools",
        ".heddle/settings.json",
        "pack",
        "scripts"
      ])
      assert.strictEqual(statSync(place.path("agent/trust.json")).mode & 0o777, 0o600)
      const second = yield* start(place)
      assert.deepStrictEqual(
        [second.trust.atStart, second.trust.isDecided, second.trust.notice],
        ["trusted", true, undefined]
      )
      assert.strictEqual(second.settings.shellPath, "./sh")
      assert.deepStrictEqual(second.logged, [])
    })
  )

  it.scoped("no is stored, too; an option beats what is stored, either way", () =>
    Effect.gen(function* () {
      const place = yield* makeProject()
      const first = yield* start(place)
      assert.deepStrictEqual(yield* first.trust.ask(answering(false).confirm), { level: "untrusted", notice: no })
      const again = yield* start(place)
      assert.deepStrictEqual(
        [again.trust.atStart, again.trust.isDecided, again.trust.notice],
        ["untrusted", true, leftOut]
      )
      const unasked = answering(true)
      assert.deepStrictEqual(yield* again.trust.ask(unasked.confirm), { level: "untrusted" })
      assert.deepStrictEqual(unasked.asked, [])
      assert.strictEqual((yield* start(place, { trusted: true })).trust.atStart, "trusted")
      assert.strictEqual(place.stored().folders[place.cwd].decision, "untrusted")
      rmSync(place.path("agent/trust.json"))
      yield* (yield* start(place)).trust.ask(answering(true).confirm)
      const refused = yield* start(place, { trusted: false })
      assert.deepStrictEqual([refused.trust.atStart, refused.trust.isDecided], ["untrusted", true])
    })
  )

  it.scoped("none is not stored, and is not asked for again in this process", () =>
    Effect.gen(function* () {
      const place = yield* makeProject()
      const { trust } = yield* start(place)
      const user = answering(undefined)
      assert.deepStrictEqual(yield* trust.ask(user.confirm), { level: "untrusted" })
      assert.deepStrictEqual(yield* trust.ask(user.confirm), { level: "untrusted" })
      assert.strictEqual(user.asked.length, 1)
      assert.isFalse((yield* start(place)).trust.isDecided)
    })
  )

  it.scoped("two who ask at once ask one question; an interrupt withdraws it, so that another can ask", () =>
    Effect.gen(function* () {
      const { trust } = yield* start(yield* makeProject())
      const shown = yield* Deferred.make<void>()
      const open = yield* Effect.fork(
        trust.ask(() => Effect.zipRight(Deferred.succeed(shown, undefined), Effect.never))
      )
      yield* Deferred.await(shown)
      const user = answering(true)
      const waiting = yield* Effect.fork(trust.ask(user.confirm))
      assert.strictEqual(yield* trust.level, "untrusted")
      yield* Fiber.interrupt(open)
      assert.deepStrictEqual(yield* Fiber.join(waiting), { level: "trusted", notice: yes })
      assert.strictEqual(user.asked.length, 1)
    })
  )

  it.scoped("yes does not count if the project changes while the question is open", () =>
    Effect.gen(function* () {
      const place = yield* makeProject()
      const { trust } = yield* start(place)
      const user = answering(true, () => place.write("work/.heddle/extensions/gate.ts", "evil()"))
      assert.deepStrictEqual(yield* trust.ask(user.confirm), {
        level: "untrusted",
        notice:
          "This project is not trusted: it changed while the question was open. heddle will ask again at the next start."
      })
      assert.isFalse((yield* start(place)).trust.isDecided)
    })
  )
})

describe("what an answer is tied to", () => {
  const changes: ReadonlyArray<readonly [name: string, part: string]> = [
    ["work/.heddle/extensions/gate.ts", ".heddle/extensions/gate.ts"],
    ["work/.heddle/extensions/tools/lib/helper.ts", ".heddle/extensions/tools"],
    ["work/.heddle/extensions/added.ts", ".heddle/extensions/added.ts"],
    ["work/.heddle/extensions/tools/node_modules/x.js", ".heddle/extensions/tools"],
    ["work/.heddle/heddle.jsonc", ".heddle/heddle.jsonc"],
    ["work/omp.jsonc", "omp.jsonc"],
    ["work/scripts/neighbour.ts", "scripts"],
    ["work/pack/extensions/k.ts", "pack"],
    ["work/pack/package.json", "pack"]
  ]

  it.scoped.each(changes)("a change of %s asks again and is named", ([name, part]) =>
    Effect.gen(function* () {
      const place = yield* makeProject({ ...projectFiles, "work/.heddle/extensions/tools/node_modules/y.js": "" })
      yield* (yield* start(place)).trust.ask(answering(true).confirm)
      place.write(name, "{}")
      const { trust } = yield* start(place)
      assert.deepStrictEqual([trust.atStart, trust.isDecided], ["untrusted", false])
      assert.include(
        trust.notice,
        `This project has changed since you decided about it (${part}), and is not trusted, so`
      )
      const user = answering(true)
      yield* trust.ask(user.confirm)
      assert.include(user.asked[0]?.message, `Changed since you last decided: ${part}.`)
      assert.strictEqual((yield* start(place)).trust.atStart, "trusted")
    })
  )

  it.scoped.each([
    ["work/.heddle/extensions/gate.ts", ".heddle/extensions/gate.ts", "trusted"],
    ["work/.heddle/extensions/gate.ts", ".heddle/extensions", "trusted"],
    ["work/.heddle/extensions/tools/lib/helper.ts", ".heddle/extensions/tools", "trusted"],
    ["work/pack/extensions/new.ts", "pack", "trusted"],
    ["work/.heddle/extensions/gate.ts", ".heddle/extensions/tools", "untrusted"],
    ["work/.heddle/extensions/gate.ts", ".heddle/extensions/gate", "untrusted"],
    ["work/.heddle/extensions/tools/lib/helper.ts", ".heddle/extensions/tools/index.ts", "untrusted"],
    ["work/.heddle/settings.json", ".heddle/extensions", "untrusted"]
  ] as const)("a change of %s while the command line names %s leaves it %s", ([name, given, level]) =>
    Effect.gen(function* () {
      const place = yield* makeProject()
      yield* (yield* start(place)).trust.ask(answering(true).confirm)
      place.write(name, "export default () => 1\n")
      for (const option of ["extensionPaths", "requiredPaths"]) {
        const { trust } = yield* start(place, { [option]: [given] })
        assert.deepStrictEqual([trust.atStart, trust.isDecided], [level, level === "trusted"])
      }
      assert.strictEqual((yield* start(place)).trust.atStart, "untrusted")
    })
  )

  it.scoped("not a no either, where the command line names what changed", () =>
    Effect.gen(function* () {
      const place = yield* makeProject()
      yield* (yield* start(place)).trust.ask(answering(false).confirm)
      place.write("work/.heddle/extensions/gate.ts", "")
      const { trust } = yield* start(place, { extensionPaths: [".heddle/extensions/gate.ts"] })
      assert.deepStrictEqual([trust.atStart, trust.isDecided], ["untrusted", true])
    })
  )

  it.scoped("of what is imported nothing is called gone that is there", () =>
    Effect.gen(function* () {
      const place = yield* makeProject({
        ...projectFiles,
        "work/.heddle/extensions/gate.ts": 'import "../../src/main.ts"\nexport default () => {}\n'
      })
      yield* (yield* start(place)).trust.ask(answering(true).confirm)
      place.write("work/.heddle/extensions/gate.ts", code)
      assert.include((yield* start(place)).trust.notice, "decided about it (.heddle/extensions/gate.ts), and")
    })
  )

  it.scoped("not to other files of the project, nor to its .env", () =>
    Effect.gen(function* () {
      const place = yield* makeProject()
      yield* (yield* start(place)).trust.ask(answering(true).confirm)
      place.write("work/src/main.ts", "changed")
      place.write("work/.env", "OPENAI_API_KEY=other\n")
      assert.strictEqual((yield* start(place)).trust.atStart, "trusted")
    })
  )

  it.scoped("a part that is gone is named; the path of the folder may be a link", () =>
    Effect.gen(function* () {
      const place = yield* makeProject()
      symlinkSync("work", place.path("link"))
      const linked = { ...place, cwd: place.path("link") }
      yield* (yield* start(linked)).trust.ask(answering(true).confirm)
      assert.deepStrictEqual(Object.keys(place.stored().folders), [realpathSync(place.cwd)])
      assert.deepStrictEqual(
        [(yield* start(place)).trust.atStart, (yield* start(linked)).trust.atStart],
        ["trusted", "trusted"]
      )
      rmSync(place.path("work/.heddle/extensions/gate.ts"))
      assert.include((yield* start(place)).trust.notice, "(.heddle/extensions/gate.ts is gone)")
    })
  )

  it.scoped("an extra root of the project, which the user's settings name", () =>
    Effect.gen(function* () {
      const place = yield* makeProject({
        "work/.pi/extensions/a.ts": code,
        "work/.pi/settings.json": "{}",
        "agent/settings.json": '{ "extensionRoots": [".pi"] }'
      })
      const first = yield* start(place)
      assert.include(first.trust.notice, "left out: .pi/extensions.")
      assert.deepStrictEqual(first.declared.project.roots, [place.path("work/.pi")])
      yield* first.trust.ask(answering(true).confirm)
      assert.deepStrictEqual(Object.keys(place.stored().folders[place.cwd].parts), [
        ".pi/extensions/a.ts",
        ".pi/settings.json"
      ])
      assert.strictEqual((yield* start(place)).trust.atStart, "trusted")
      place.write("work/.pi/settings.json", '{"packages":["../evil"]}')
      assert.strictEqual((yield* start(place)).trust.atStart, "untrusted")
    })
  )
})

describe("the extensions of pi in a project", () => {
  it.scoped("are asked about without a setting, load after a yes, and are part of what it is tied to", () =>
    Effect.gen(function* () {
      const place = yield* makeProject({ "work/.pi/extensions/a.ts": code, "work/.pi/settings.json": "{}" })
      const first = yield* start(place)
      assert.deepStrictEqual([first.trust.atStart, first.trust.isDecided], ["untrusted", false])
      assert.include(first.trust.notice, "left out: .pi/extensions.")
      const user = answering(true)
      yield* first.trust.ask(user.confirm)
      assert.include(user.asked[0]?.message, "Extensions: .pi/extensions/a.ts.")
      const second = yield* start(place)
      assert.strictEqual(second.trust.atStart, "trusted")
      assert.deepStrictEqual(second.declared.project.roots, [place.path("work/.pi")])
      place.write("work/.pi/extensions/b.ts", code)
      assert.include((yield* start(place)).trust.notice, "(.pi/extensions/b.ts)")
    })
  )

  it.scoped("need `extensions` in the folder, and are not switched off by a list of other roots", () =>
    Effect.gen(function* () {
      const without = yield* start(yield* makeProject({ "work/.pi/settings.json": '{"packages":["../pack"]}' }))
      assert.deepStrictEqual([without.trust.isDecided, without.declared.project.roots], [true, []])
      const place = yield* makeProject({
        "work/.pi/extensions/a.ts": code,
        "work/.omp/extensions/a.ts": code,
        "agent/settings.json": '{ "extensionRoots": [".omp", ".pi"] }'
      })
      const both = yield* start(place, { trusted: true })
      assert.deepStrictEqual(both.declared.project.roots, [place.path("work/.omp"), place.path("work/.pi")])
    })
  )
})

describe("where a person is there to be asked", () => {
  it.scoped("what was left out is told after an answer that leaves it out, and not after a yes", () =>
    Effect.gen(function* () {
      const told = Effect.fnUntraced(function* (answer: boolean | undefined) {
        const { logged, trust } = yield* start(yield* makeProject(), { asksFirst: true })
        assert.deepStrictEqual(logged, [])
        return (yield* trust.ask(answering(answer).confirm)).notice
      })
      assert.strictEqual(yield* told(true), yes)
      assert.strictEqual(yield* told(false), leftOut)
      assert.strictEqual(yield* told(undefined), leftOut)
    })
  )

  it.scoped("it is told at once if the answer is known, or if there is nothing to ask about", () =>
    Effect.gen(function* () {
      const refused = yield* start(yield* makeProject(), { asksFirst: true, trusted: false })
      assert.deepStrictEqual(refused.logged, [leftOut])
      const key = yield* start(yield* makeProject({ "work/.env": "OPENAI_API_KEY=k" }), { asksFirst: true })
      assert.match(String(key.logged[0]), /left out: OPENAI_API_KEY in \.env\./)
    })
  )
})

describe("nothing to ask about", () => {
  it.scoped("no project, free settings, a key in .env, an empty folder, --no-extensions", () =>
    Effect.gen(function* () {
      const of = (files: Readonly<Record<string, string>>, noExtensions = false) =>
        Effect.flatMap(makeProject(files), (place) => start(place, { noExtensions })).pipe(
          Effect.map(({ trust: { atStart, isDecided } }) => [atStart, isDecided])
        )
      const quiet = ["untrusted", true]
      assert.deepStrictEqual(yield* of({}), quiet)
      assert.deepStrictEqual(yield* of({ "work/.heddle/settings.json": '{"steeringMode":"all"}' }), quiet)
      assert.deepStrictEqual(yield* of({ "work/.env": "OPENAI_API_KEY=k" }), quiet)
      assert.deepStrictEqual(yield* of({ "work/.heddle/extensions/": "", "work/.heddle/extensions/.keep": "" }), quiet)
      const extension = { "work/.heddle/extensions/a.ts": code }
      assert.deepStrictEqual(yield* of(extension), ["untrusted", false])
      assert.deepStrictEqual(yield* of(extension, true), quiet)
    })
  )
})

describe("trust.json", () => {
  const unusable: ReadonlyArray<readonly [text: string, why: string]> = [
    ["{ nonsense", "is not a list of decisions that heddle has written"],
    ['{"version":2,"folders":{}}', "is not a list of decisions that heddle has written"],
    ["[]", "is not a list of decisions that heddle has written"]
  ]

  it.scoped.each(unusable)("%s is no decision, is said, and is not replaced", ([text, why]) =>
    Effect.gen(function* () {
      const place = yield* makeProject()
      place.write("agent/trust.json", text)
      const { logged, trust } = yield* start(place)
      assert.strictEqual(
        logged[0],
        `ignored decisions about projects: /agent/trust.json: ${why}. Repair or delete the file.`
      )
      const { level, notice } = yield* trust.ask(answering(true).confirm)
      assert.strictEqual(level, "trusted")
      assert.include(
        notice,
        `The answer was not stored, so heddle will ask again: ${place.agentDir}/trust.json: ${why}.`
      )
    })
  )

  it.scoped("a decision that does not fit counts for nothing; those about other folders stay", () =>
    Effect.gen(function* () {
      const place = yield* makeProject()
      const other = { decision: "trusted", digest: "d", at: "2020-01-01T00:00:00.000Z", note: "kept" }
      const folders = { "/other": other, [place.cwd]: true, "/odd": 7 }
      place.write("agent/trust.json", JSON.stringify({ version: 1, folders }))
      const { trust } = yield* start(place)
      assert.strictEqual(trust.atStart, "untrusted")
      yield* trust.ask(answering(false).confirm)
      const now = place.stored().folders
      assert.deepStrictEqual([now["/other"], now["/odd"], now[place.cwd].decision], [other, 7, "untrusted"])
    })
  )

  it.scoped("the digest of another project, or a wrong one, is no trust", () =>
    Effect.gen(function* () {
      const place = yield* makeProject()
      for (const digest of ["", "x", "0".repeat(64)]) {
        const folders = { [place.cwd]: { decision: "trusted", digest, at: "" } }
        place.write("agent/trust.json", JSON.stringify({ version: 1, folders }))
        assert.strictEqual((yield* start(place)).trust.atStart, "untrusted")
      }
    })
  )

  it.scoped("where it cannot be written, the answer holds for this process, and that is said", () =>
    Effect.gen(function* () {
      const place = yield* makeProject()
      mkdirSync(place.path("agent/trust.json"))
      const { trust } = yield* start(place)
      const { level, notice } = yield* trust.ask(answering(true).confirm)
      assert.deepStrictEqual([level, yield* trust.level], ["trusted", "trusted"])
      assert.include(notice, "The answer was not stored, so heddle will ask again: ")
    })
  )

  it.scoped("keeps the newest thousand decisions", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 0, 2))
      const place = yield* makeProject()
      const entry = (at: number) => [
        `/p${at}`,
        { decision: "trusted", digest: "d", at: `2020-01-01T00:00:00.${1000 + at}Z` }
      ]
      const folders = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => entry(at)))
      place.write("agent/trust.json", JSON.stringify({ version: 1, folders }))
      yield* (yield* start(place)).trust.ask(answering(true).confirm)
      const kept = place.stored().folders
      assert.deepStrictEqual(
        [Object.keys(kept).length, "/p0" in kept, "/p1" in kept, place.cwd in kept],
        [1000, false, true, true]
      )
    })
  )
})

it.scoped("a project cannot grant itself trust, and its settings stay out until the next start", () =>
  Effect.gen(function* () {
    const settings = { trusted: true, trust: "trusted", shellPath: "./sh", extensionRoots: [".."] }
    const place = yield* makeProject({
      "work/.heddle/settings.json": JSON.stringify(settings),
      "work/.heddle/trust.json": "{}",
      "work/.heddle/agent/trust.json": "{}"
    })
    const { settings: values, trust } = yield* start(place)
    assert.deepStrictEqual([values, trust.atStart], [defaults, "untrusted"])
    assert.include(trust.notice, "left out: shellPath, extensionRoots.")
  })
)
