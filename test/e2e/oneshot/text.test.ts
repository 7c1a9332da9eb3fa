/** `heddle "…"` and `heddle -p "…"` over real pipes: what is asked, what is answered, and where it goes. */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { forPeople, makeHome } from "../command.ts"

const home = makeHome()
afterAll(home.remove)
const { put, run, script } = home

const text = (said: string) => ({ steps: [{ text: said }] })
const call = (name: string, args: object) => ({ toolCall: { name, arguments: args } })
const asksFirst = [{ steps: [{ text: "I look around." }, call("ls", { path: "." })] }, text("Here it is.")]

/** The content of the user's message, as the model got it. */
const heard = async (args: ReadonlyArray<string>, input: string | Uint8Array<ArrayBuffer> = "") => {
  const { code, err, out } = await run(["--mode", "json", ...script([text("ok")]), ...args], { input })
  assert.strictEqual(code, 0, err)
  const frames = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
  return frames.find(({ message, type }) => type === "message_end" && message.role === "user").message.content
}

describe("the answer", () => {
  it.each([[["hello there"]], [["-p", "hello there"]], [["--print", "hello", "there"]], [["--mode", "text", "hello"]]])(
    "heddle %s: stdout has the text of the last message and nothing else",
    async (args) => {
      assert.deepStrictEqual(await run([...args, ...script(asksFirst)]), { code: 0, out: "Here it is.\n", err: "" })
    }
  )

  it.each([[["-p", "doctr"]], [["--", "doctr"]], [["doctr", "it"]], [["hello"]], [["test"]], [["commit"]]])(
    "heddle %s: a word is a message if it is no typing mistake, or was meant as one",
    async (args) => {
      assert.deepStrictEqual(await run([...script([text("ok")]), ...args]), { code: 0, out: "ok\n", err: "" })
    }
  )

  it("without a key the offline guide answers, and stderr says how to get another model", async () => {
    const { code, err, out } = await run(["what is here?"])
    assert.strictEqual(code, 0)
    assert.match(out, /^This folder has /)
    assert.match(err, /^heddle info: no API key found: using offline\/guide[^\n]*\n$/)
  })

  it("--stream writes the text of all messages, with an empty line between them", async () => {
    const { code, out } = await run(["--stream", "x", ...script(asksFirst)])
    assert.deepStrictEqual([code, out], [0, "I look around.\n\nHere it is.\n"])
  })

  it("a retried message counts once", async () => {
    const broken = { steps: [{ text: "Here i", cutOff: true }, { disconnect: true }] }
    const args = ["x", "--set", "retry.baseDelayMs=1", ...script([broken, text("Here it is.")])]
    assert.deepStrictEqual(await run(args), { code: 0, out: "Here it is.\n", err: "" })
  })

  it("an extension that prints does not get between the reader and the answer", async () => {
    put("loud.ts", 'export default () => { console.log("LOUD"); process.stdout.write("LOUD") }')
    const { code, err, out } = await run(["-e", "loud.ts", "x", ...script([text("quiet")])])
    assert.deepStrictEqual([code, out], [0, "quiet\n"])
    assert.include(err, "LOUD")
  })

  it("settings of files count: only rpc mode resets some", async () => {
    home.write("settings.json", { "todo.enabled": false })
    const { err } = await run(["x", ...script([text("ok")])])
    home.write("settings.json", {})
    assert.strictEqual(err, "")
  })
})

describe("failures are sentences, with exit code 1", () => {
  it("the provider refuses", async () => {
    const fails = [{ steps: [{ fail: { reason: "authentication", message: "That key is not known." } }] }]
    assert.deepStrictEqual(await run(["x", ...script(fails)]), {
      code: 1,
      out: "",
      err: "Error: That key is not known.\n"
    })
  })

  it("there is no key", async () => {
    const { code, err, out } = await run(["x", "--model", "anthropic/claude-opus-5"])
    assert.deepStrictEqual([code, out], [1, ""])
    assert.match(
      err,
      /^Error: No API key for anthropic\/[\w-]+\. Set ANTHROPIC_API_KEY, or run: heddle auth set anthropic\n$/
    )
  })

  it("there is no such model", async () => {
    const result = await run(["x", "--model", "no-such-model"])
    assert.deepStrictEqual([result.code, result.out], [1, ""])
    assert.match(forPeople(result), /^Error: .*no-such-model/)
  })

  it("a budget is used up", async () => {
    const turn = { ...text("much"), usage: { input: 10, output: 10 } }
    const args = script([{ ...asksFirst[0], usage: { input: 10, output: 10 } }, turn])
    const { code, err } = await run(["x", "--max-tokens", "5", ...args])
    assert.strictEqual(code, 1)
    assert.match(err, /^Error: .*budget/im)
  })
})

describe("stdin", () => {
  it("goes before the message, and alone is the message", async () => {
    assert.deepStrictEqual(await heard(["explain"], "some\nlog\n"), [{ type: "text", text: "some\nlog\n\nexplain" }])
    assert.deepStrictEqual(await heard(["-p"], "all of it\n"), [{ type: "text", text: "all of it" }])
    assert.deepStrictEqual(await heard([], "all of it"), [{ type: "text", text: "all of it" }])
  })

  it("several words are one message", async () => {
    assert.deepStrictEqual(await heard(["-p", "fix", "the", "--no-rules", "tests"]), [
      { type: "text", text: "fix the tests" }
    ])
  })

  it("words behind -- are text, whatever they look like", async () => {
    assert.deepStrictEqual(await heard(["--", "-x", "@nobody", "--help"]), [
      { type: "text", text: "-x @nobody --help" }
    ])
  })

  it("of 5 MB arrives whole", async () => {
    const much = "é".repeat(2_500_000)
    const [content] = await heard(["count"], much)
    assert.strictEqual(content.text, `${much}\n\ncount`)
  })

  const refused: ReadonlyArray<readonly [string, Uint8Array<ArrayBuffer>, string]> = [
    ["of more than 10 MiB", new Uint8Array(10 * 1024 * 1024 + 1).fill(65), "stdin is larger than 10 MiB"],
    [
      "that is no text",
      new Uint8Array([0xff, 0xfe, 0, 1]),
      "stdin is not UTF-8 text. An image goes on the command line: @picture.png"
    ]
  ]
  it.each(refused)("%s is refused", async (_, input, sentence) => {
    const args = ["x", ...script([text("ok")])]
    assert.deepStrictEqual(await run(args, { input }), { code: 1, out: "", err: `Error: ${sentence}\n` })
  })

  const open = (...args: ReadonlyArray<string>) =>
    Bun.spawn(home.command([...args, ...script([text("went on")])]), {
      ...home.place(),
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe"
    })

  it("an open pipe that says nothing is not waited for where there is a message", async () => {
    const child = open("hello")
    const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    assert.deepStrictEqual([code, out], [0, "went on\n"])
    assert.match(err, /^heddle info: stdin is an open pipe that says nothing.*@-.*\n$/)
    child.stdin.end()
  })

  it("@- waits for its end, and so does a command line without a message", async () => {
    for (const args of [["@-", "hello"], ["-p"]]) {
      const child = open(...args)
      // Longer than the grace, measured by a process that is not waited for any more.
      const other = open("hello")
      await other.exited
      other.stdin.end()
      assert.strictEqual(child.exitCode, null)
      child.stdin.write("late")
      child.stdin.end()
      assert.strictEqual(await child.exited, 0)
      assert.strictEqual(await child.stderr.text(), "")
    }
  })
})

/** A PNG of one pixel. */
const png = Uint8Array.fromBase64(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)

describe("@file", () => {
  it("text is inlined, an image attached, in order and with the message", async () => {
    put("notes.txt", "one\ntwo\n")
    put("red.png", png)
    put('a "quoted" name.txt', "three")
    assert.deepStrictEqual(await heard(["@notes.txt", "what", "@red.png", "is this?", '@a "quoted" name.txt']), [
      { type: "text", text: "what is this?" },
      { type: "text", text: '<file name="notes.txt">\none\ntwo\n\n</file>' },
      { type: "text", text: '<file name="a _quoted_ name.txt">\nthree\n</file>' },
      { type: "image", data: png.toBase64(), mimeType: "image/png" }
    ])
  })

  it("a file alone is a message, and -p takes one as its value", async () => {
    put("task.md", "Do it.")
    for (const args of [["@task.md"], ["-p", "@task.md"], [`@${home.folder}/task.md`], ["@~/task.md"]]) {
      assert.deepStrictEqual(await heard(args), [{ type: "text", text: '<file name="task.md">\nDo it.\n</file>' }])
    }
  })

  it.each([
    ["@nope.txt", "there is no such file. A message that begins with @ goes behind --"],
    ["@.", "it is a folder. Name a file, or leave out the @ and let the model look into the folder"],
    ["@binary.bin", "it is neither UTF-8 text nor an image (PNG, JPEG, GIF, WebP)"],
    ["@latin.txt", "it is neither UTF-8 text nor an image (PNG, JPEG, GIF, WebP)"],
    ["@huge.txt", "it is larger than 10 MiB. Leave out the @, and the model reads what it needs of the file"],
    ["@torn.png", `Cannot read ${home.folder}/torn.png: it begins like image/png, but its header is damaged`],
    ["@/dev/zero", "it is a character device, not a file"]
  ])("%s is refused before anything starts", async (word, sentence) => {
    put("binary.bin", new Uint8Array([1, 0, 2]))
    put("latin.txt", new Uint8Array([0x66, 0xfc, 0x72]))
    put("huge.txt", new Uint8Array(10 * 1024 * 1024 + 1).fill(65))
    put("torn.png", png.subarray(0, 12))
    const { code, err, out } = await run([word, "hello"])
    assert.deepStrictEqual([code, out, err], [1, "", `Error: ${word}: ${sentence}\n`])
  })
})
