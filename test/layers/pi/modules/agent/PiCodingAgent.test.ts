import { assert, describe, it } from "@effect/vitest"
import * as PiAgentCore from "../../../../../src/layers/pi/modules/agent/PiAgentCore.ts"
import * as PiCodingAgent from "../../../../../src/layers/pi/modules/agent/PiCodingAgent.ts"
import * as PiAi from "../../../../../src/layers/pi/modules/ai/PiAi.ts"
import * as PiTui from "../../../../../src/layers/pi/modules/tui/PiTui.ts"
import { call, construct, get } from "../../../../support/extensions/Calling.ts"
import { holding } from "../../../../support/extensions/PlainBindings.ts"

const holder = holding()
const agent = PiCodingAgent.make(holder, PiTui.make())

it("knows its places", () => {
  const asked = ["getAgentDir", "getPackageDir", "getDocsPath", "getExamplesPath", "getReadmePath"]
  assert.deepStrictEqual(
    asked.map((name) => call(agent, name)),
    ["/home/ada/.heddle/agent", "/opt/heddle", "/opt/heddle/docs", "/opt/heddle/examples", "/opt/heddle/README.md"]
  )
  assert.deepStrictEqual([agent["VERSION"], agent["CONFIG_DIR_NAME"]], ["9.8.7", ".heddle"])
  assert.deepStrictEqual(call(agent, "getShellConfig"), { shell: "/bin/zsh", args: ["-c"] })
  assert.deepStrictEqual(call(agent, "getShellConfig", "/bin/sh"), { shell: "/bin/sh", args: ["-c"] })
  assert.deepStrictEqual(call(agent, "readStoredCredential", "weaver"), { type: "api_key", key: "k-1" })
})

it("the shell is bash where the settings name none", () => {
  const { settings } = holder.get()
  const { shellPath: _, ...without } = settings()
  const plain = PiCodingAgent.make(holding({ settings: () => without }), {})
  assert.match(String(get(call(plain, "getShellConfig"), "shell")), /bash$/)
})

describe("cuts text", () => {
  const whole = { lastLinePartial: false, firstLineExceedsLimit: false, maxLines: 2000, maxBytes: 51_200 }

  it("that fits not at all", () => {
    assert.deepStrictEqual(call(agent, "truncateHead", "a\nb\n"), {
      content: "a\nb\n",
      truncated: false,
      truncatedBy: null,
      totalLines: 2,
      totalBytes: 4,
      outputLines: 2,
      outputBytes: 4,
      ...whole
    })
  })

  it("from its head and its tail, without a line feed at the end", () => {
    const common = {
      truncated: true,
      truncatedBy: "lines",
      totalLines: 3,
      totalBytes: 6,
      outputLines: 2,
      ...whole,
      maxLines: 2
    }
    const head = { ...common, content: "a\nb", outputBytes: 3 }
    const tail = { ...common, content: "b\nc", outputBytes: 3 }
    assert.deepStrictEqual(call(agent, "truncateHead", "a\nb\nc\n", { maxLines: 2 }), head)
    assert.deepStrictEqual(call(agent, "truncateTail", "a\nb\nc\n", { maxLines: 2 }), tail)
  })

  it("line by line", () => {
    assert.deepStrictEqual(call(agent, "truncateLine", "abc", 3), { text: "abc", wasTruncated: false })
    assert.deepStrictEqual(call(agent, "truncateLine", "abcd", 3), { text: "abc... [truncated]", wasTruncated: true })
    assert.deepStrictEqual(call(agent, "truncateLine", "ab😀", 3), { text: "ab... [truncated]", wasTruncated: true })
  })

  it("and says how long it is", () => {
    assert.deepStrictEqual(
      [512, 1536, 3 << 20].map((bytes) => call(agent, "formatSize", bytes)),
      ["512B", "1.5KB", "3.0MB"]
    )
  })
})

describe("front matter", () => {
  it("is parsed as YAML", () => {
    assert.deepStrictEqual(
      call(agent, "parseFrontmatter", "\uFEFF---\r\nname: x\r\nlist: [1, 2]\r\n---\r\n\r\nBody\r\n"),
      {
        frontmatter: { name: "x", list: [1, 2] },
        body: "Body"
      }
    )
  })

  it("may be empty or absent", () => {
    assert.deepStrictEqual(call(agent, "parseFrontmatter", "---\n---\nBody"), { frontmatter: {}, body: "Body" })
    assert.deepStrictEqual(call(agent, "parseFrontmatter", "--- is no front matter\n"), {
      frontmatter: {},
      body: "--- is no front matter\n"
    })
    assert.strictEqual(call(agent, "stripFrontmatter", "---\na: 1\n---\n\nBody\n---\n"), "Body\n---")
  })

  it("that is not YAML is refused", () => {
    assert.throws(() => call(agent, "parseFrontmatter", "---\na: [\n---\n"))
  })
})

it("tells tools apart by name", () => {
  assert.isTrue(call(agent, "isToolCallEventType", "bash", { toolName: "bash" }))
  assert.isFalse(call(agent, "isToolCallEventType", "bash", { toolName: "read" }))
  const names = ["Bash", "Read", "Edit", "Write", "Grep", "Find", "Ls", "PowerShell"]
  for (const name of names) {
    assert.isTrue(call(agent, `is${name}ToolResult`, { toolName: name.toLowerCase() }), name)
    assert.isFalse(call(agent, `is${name}ToolResult`, { toolName: "other" }), name)
  }
  const tool = { name: "x" }
  assert.strictEqual(call(agent, "defineTool", tool), tool)
})

it("small texts", () => {
  const ranges = [
    [undefined, undefined],
    [10, undefined],
    [10, 5],
    [undefined, 5]
  ]
  assert.deepStrictEqual(
    ranges.map((range) => call(agent, "formatReadLineRange", ...range)),
    ["", ":10", ":10-14", ":1-5"]
  )
  const paths = ["a/b.ts", "x.PY", "Makefile", "no-ending", "a.b/notes"]
  assert.deepStrictEqual(
    paths.map((path) => call(agent, "getLanguageFromPath", path)),
    ["typescript", "python", "makefile", undefined, undefined]
  )
  assert.deepStrictEqual(call(agent, "createSyntheticSourceInfo", "/x", { source: "sdk" }), {
    path: "/x",
    source: "sdk",
    scope: "temporary",
    origin: "top-level"
  })
  assert.match(
    String(call(agent, "generateUnifiedPatch", "f.txt", "a\n", "b\n")),
    /^--- f\.txt\n\+\+\+ f\.txt\n@@.*\n-a\n\+b\n$/
  )
  assert.strictEqual(get(call(agent, "generateDiffString", "a\nb\n", "a\nc\n"), "firstChangedLine"), 2)
})

describe("skills", () => {
  const skill = { name: "deploy", description: "Ship <it>", filePath: "/s/SKILL.md" }

  it("are listed for the model, but not those of the user alone", () => {
    const text = String(
      call(agent, "formatSkillsForPrompt", [skill, { ...skill, name: "mine", disableModelInvocation: true }])
    )
    assert.include(
      text,
      "<name>deploy</name>\n    <description>Ship &lt;it&gt;</description>\n    <location>/s/SKILL.md</location>"
    )
    assert.notInclude(text, "mine")
    assert.strictEqual(call(agent, "formatSkillsForPrompt", []), "")
  })

  it("are found in a message", () => {
    assert.deepStrictEqual(call(agent, "parseSkillBlock", '<skill name="a" location="/s">\nDo it\n</skill>\n\nnow '), {
      name: "a",
      location: "/s",
      content: "Do it",
      userMessage: "now"
    })
    assert.isNull(call(agent, "parseSkillBlock", "hello"))
  })

  it("are not loaded from here", () => {
    const all = PiCodingAgent.make(holder, {})
    assert.isUndefined(all["loadSkills"])
  })
})

it("counts tokens", () => {
  const usage = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 }
  assert.strictEqual(call(agent, "calculateContextTokens", usage), 10)
  assert.strictEqual(call(agent, "calculateContextTokens", { ...usage, totalTokens: 99 }), 99)
  const settings = agent["DEFAULT_COMPACTION_SETTINGS"]
  assert.isTrue(call(agent, "shouldCompact", 90_000, 100_000, settings))
  assert.isFalse(call(agent, "shouldCompact", 80_000, 100_000, settings))
})

describe("screens", () => {
  it("every component is a class of its own that can be extended", () => {
    const names = Object.keys(agent).filter((name) => name.endsWith("Component"))
    assert.isAbove(names.length, 20)
    assert.strictEqual(new Set(names.map((name) => agent[name])).size, names.length)
    for (const name of names) assert.deepStrictEqual(call(construct(agent, name, {}, "x"), "render", 10), [])
  })

  it("borders, loaders, editors and themes are plain", () => {
    assert.deepStrictEqual(call(construct(agent, "DynamicBorder"), "render", 3), ["───"])
    assert.isFalse(get(get(construct(agent, "BorderedLoader", {}, {}, "wait"), "signal"), "aborted"))
    const editor = construct(agent, "CustomEditor", {}, {}, {})
    call(editor, "onAction", "app.clear", () => {})
    assert.strictEqual(get(get(editor, "actionHandlers"), "size"), 1)
    const theme = construct(agent, "Theme")
    assert.deepStrictEqual(
      [call(theme, "fg", "accent", "x"), call(theme, "bold", "y"), call(theme, "getFgAnsi", "z")],
      ["x", "y", ""]
    )
    assert.strictEqual(call(call(agent, "getMarkdownTheme"), "heading", "h"), "h")
    assert.strictEqual(call(call(agent, "getSelectListTheme"), "noMatch", "h"), "h")
    assert.strictEqual(get(call(agent, "getSettingsListTheme"), "cursor"), "→ ")
    assert.deepStrictEqual(call(agent, "highlightCode", "a\nb", "ts"), ["a", "b"])
  })

  it("hints name keys", () => {
    assert.strictEqual(call(agent, "keyHint", "tui.select.cancel", "to close"), "escape/ctrl+c to close")
    assert.strictEqual(call(agent, "keyText", "app.tools.expand"), "ctrl+o")
    assert.strictEqual(call(agent, "rawKeyHint", "x", "to do"), "x to do")
  })

  it("cuts to the lines of a screen", () => {
    assert.deepStrictEqual(call(agent, "truncateToVisualLines", "one two three", 2, 5), {
      visualLines: ["two", "three"],
      skippedCount: 1
    })
    assert.deepStrictEqual(call(agent, "truncateToVisualLines", "", 2, 5), { visualLines: [], skippedCount: 0 })
    assert.deepStrictEqual(call(agent, "truncateToVisualLines", "a\nb\nc", 2, 5, 0, "start"), {
      visualLines: ["a", "b"],
      skippedCount: 1
    })
  })
})

it("nested sessions say that they are not there", () => {
  assert.throws(
    () => call(agent, "createAgentSession", {}),
    "createAgentSession: nested sessions are not available in heddle"
  )
  assert.throws(() => construct(agent, "RpcClient"), "RpcClient: nested sessions are not available in heddle")
})

it("pi-agent-core shares what the others have", () => {
  const core = PiAgentCore.make(PiAi.make(holder), agent)
  assert.deepStrictEqual(
    Object.keys(core).filter((name) => core[name] === undefined),
    []
  )
  assert.strictEqual(core["truncateHead"], agent["truncateHead"])
  assert.strictEqual(call(core, "utf8ByteLength", "é"), 2)
  assert.throws(() => construct(core, "Agent"), "nested sessions")
})
