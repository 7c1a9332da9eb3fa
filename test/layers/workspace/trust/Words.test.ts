import { assert, it } from "@effect/vitest"
import * as Words from "../../../../src/layers/workspace/trust/Words.ts"

const advice = " To allow them, start heddle with --approve, or put the settings into your own settings.json."

it("names of a project cannot write on a terminal, turn text around, or begin a line", () => {
  const names = ["a\u001b[2Jb", "c\u202Ed", "e\nf", "g\u2028h", "i\u200Bj", "plain.ts"]
  assert.strictEqual(
    Words.leftOut(names, "untrusted", undefined),
    `This project is not trusted, so these were left out: a?[2Jb, c?d, e?f, g?h, i?j, plain.ts.${advice}`
  )
  const { message } = Words.question({ cwd: "/w\r\nx", extensions: names, others: ["k\u0000"], changes: "y\u0007" })
  assert.notMatch(message, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
  assert.include(message, "/w??x has code")
})

it("long lists and long names are cut", () => {
  const many = Array.from({ length: 25 }, (_, at) => `e${at}`)
  assert.strictEqual(
    Words.leftOut(many, "untrusted", undefined),
    `This project is not trusted, so these were left out: ${many.slice(0, 20).join(", ")} and 5 more.${advice}`
  )
  const long = Words.question({ cwd: "/w", extensions: ["x".repeat(5000)], others: [] })
  assert.strictEqual(
    long.message,
    `/w has code or settings that can run anything with your rights. Extensions: ${"x".repeat(200)}…. ` +
      "Say yes only if you know who wrote them."
  )
})

it("a question has only the parts that there are", () => {
  const rest = "Say yes only if you know who wrote them."
  const first = "/w has code or settings that can run anything with your rights."
  const of = (asking: Partial<Words.Asking>) =>
    Words.question({ cwd: "/w", extensions: [], others: [], ...asking }).message
  assert.strictEqual(of({ others: ["shellPath"] }), `${first} Settings and keys: shellPath. ${rest}`)
  assert.strictEqual(
    of({ extensions: ["a.ts"], changes: "b" }),
    `${first} Extensions: a.ts. Changed since you last decided: b. ${rest}`
  )
})

it("an answer says what follows, and why it was not stored", () => {
  const answers = [
    Words.answered({ level: "trusted", hasOthers: false }),
    Words.answered({ level: "trusted", hasOthers: true }),
    Words.answered({ level: "untrusted", hasOthers: true }),
    Words.answered({ level: "untrusted", hasOthers: true, leftOut: "These were left out: a." }),
    Words.answered({ level: "trusted", hasOthers: false, problem: "disk full" })
  ]
  assert.deepStrictEqual(answers, [
    "This project is trusted: its extensions load.",
    "This project is trusted: its extensions load. Its settings and the keys in its .env count from the next start.",
    "This project is not trusted.",
    "These were left out: a.",
    "This project is trusted: its extensions load. The answer was not stored, so heddle will ask again: disk full."
  ])
})
