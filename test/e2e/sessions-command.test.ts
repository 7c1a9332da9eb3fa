/** `heddle sessions`: listed, searched and resumed by number, over the real command. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { makeHome } from "./command.ts"

const home = makeHome()
afterAll(home.remove)
const { run, script } = home
const says = (text: string) => script([{ steps: [{ text }] }])

const [one, two] = [join(home.folder, "one"), join(home.folder, "two")]

beforeAll(async () => {
  for (const folder of [one, two]) mkdirSync(folder)
  for (const args of [
    ["--cwd", one, "the oldest question"],
    ["--cwd", two, "--name", "a na\u001b[31mmed\u0007 one", "second"],
    ["--cwd", one, "third of all"]
  ]) {
    assert.strictEqual((await run([...args, ...says("fine")])).code, 0)
  }
  // Another program may have written the name.
  const { file, name } = JSON.parse((await run(["sessions", "--json"])).out)[1]
  assert.strictEqual(name, "a named one")
  writeFileSync(file, readFileSync(file, "utf8").replace(name, "a named\\u001b[31m one"))
})

const rows = (out: string) =>
  out
    .trimEnd()
    .split("\n")
    .slice(1)
    .map((line) => line.split(/ {2,}/))

describe("heddle sessions", () => {
  it("lists those of all folders, the last used first", async () => {
    const { code, err, out } = await run(["sessions"])
    assert.deepStrictEqual([code, err], [0, ""])
    assert.deepStrictEqual(rows(out), [
      ["1", "now", "~/one", "third of all"],
      ["2", "now", "~/two", "a named one"],
      ["3", "now", "~/one", "the oldest question"]
    ])
  })

  it("searches names, first messages, folders and ids, and keeps the numbers", async () => {
    const numbers = async (...words: ReadonlyArray<string>) =>
      rows((await run(["sessions", ...words])).out).map(([number]) => number)
    assert.deepStrictEqual(await numbers("QUESTION"), ["3"])
    assert.deepStrictEqual(await numbers("third", "of"), ["1"])
    assert.deepStrictEqual(await numbers("/one"), ["1", "3"])
    const [first] = JSON.parse((await run(["sessions", "--json"])).out)
    assert.deepStrictEqual(await numbers(first.sessionId), ["1"])
    const none = await run(["sessions", "nowhere to be found"])
    assert.deepStrictEqual(none, { code: 0, out: "", err: 'No session has "nowhere to be found".\n' })
  })

  it("--json has the same, for programs", async () => {
    const listed = JSON.parse((await run(["sessions", "--json"])).out)
    assert.deepStrictEqual(
      listed.map(({ cwd, messageCount, name, number, title }: Record<string, unknown>) => ({
        cwd,
        messageCount,
        name,
        number,
        title
      })),
      [
        { cwd: one, messageCount: 2, name: null, number: 1, title: "third of all" },
        { cwd: two, messageCount: 2, name: "a named\u001b[31m one", number: 2, title: "a named one" },
        { cwd: one, messageCount: 2, name: null, number: 3, title: "the oldest question" }
      ]
    )
  })

  it("an empty store has no sessions, and files that are none are passed over", async () => {
    const folder = join(home.folder, "elsewhere")
    assert.deepStrictEqual(await run(["sessions", "--session-dir", folder]), {
      code: 0,
      out: "",
      err: "There are no sessions yet.\n"
    })
    mkdirSync(folder)
    writeFileSync(join(folder, "x.jsonl"), "not a session\n")
    assert.strictEqual((await run(["sessions", "--session-dir", folder])).err, "There are no sessions yet.\n")
    assert.strictEqual((await run(["sessions", "--session-dir", folder, "--json"])).out, "[]\n")
  })
})

describe("a session is resumed by its number, in its folder", () => {
  const header = (out: string) => JSON.parse(out.split("\n", 1).join())

  it.each([
    ["sessions resume", (number: string) => ["sessions", "resume", number, "--mode", "json", "and now?"]],
    [
      "options first",
      (number: string) => ["--mode", "json", "--name", "sessions", "sessions", "resume", number, "--", "-x"]
    ],
    ["-r", (number: string) => ["-r", number, "--mode", "json", "and now?"]],
    ["--resume=", (number: string) => [`--resume=${number}`, "--mode=json", "and now?"]]
  ])("%s", async (_, line) => {
    const all = JSON.parse((await run(["sessions", "--json"])).out)
    const last = all.at(-1)
    const { code, err, out } = await run([...says("Now this."), ...line(String(last.number))])
    assert.deepStrictEqual([code, err], [0, ""])
    assert.deepStrictEqual([header(out).id, header(out).cwd], [last.sessionId, last.cwd])
    const [first] = JSON.parse((await run(["sessions", "--json"])).out)
    assert.deepStrictEqual([first.sessionId, first.messageCount], [last.sessionId, last.messageCount + 2])
  })

  it("a number without a session, and none at all", async () => {
    const wrong = await run(["sessions", "resume", "9", "hello"])
    assert.deepStrictEqual(wrong, { code: 1, out: "", err: "Error: there is no session 9: heddle sessions lists 3\n" })
    const none = await run(["sessions", "resume"])
    assert.strictEqual(
      none.err,
      "Error: --resume needs the number of a session, or the beginning of its id: `heddle sessions` lists them\n"
    )
  })

  it("a folder that is gone needs --cwd", async () => {
    const [first] = JSON.parse((await run(["sessions", "--json", "/two"])).out)
    renameSync(two, `${two}-moved`)
    const gone = await run(["-r", String(first.number), "hello", ...says("Hi.")])
    assert.strictEqual(
      gone.err,
      `Error: the folder of session ${first.number} is gone: ${two}. Choose another one with --cwd\n`
    )
    const moved = await run(["-r", String(first.number), "--cwd", `${two}-moved`, "hello", ...says("Hi.")])
    assert.deepStrictEqual(moved, { code: 0, out: "Hi.\n", err: "" })
  })
})
