import { homedir } from "node:os"
import { assert, it } from "@effect/vitest"
import * as Declared from "../../../../src/layers/workspace/settings/Declared.ts"

const from = (sources: ReadonlyArray<readonly [Declared.DeclaringSource["scope"], unknown]>) =>
  Declared.from(
    "/w",
    sources.map(([scope, values]) => ({
      scope,
      values,
      baseDir: { user: "/a", project: "/w/.heddle", override: "/w" }[scope]
    }))
  )

it("no list is none, without work", () => {
  assert.strictEqual(
    from([
      ["user", { steeringMode: "all" }],
      ["project", null],
      ["override", []]
    ]),
    Declared.none
  )
})

it("within a scope the later file replaces the list; user and project add up; paths start at their file", () => {
  const found = from([
    ["user", { extensions: ["old.ts"], packages: ["npm:x", { source: "./p", skills: [] }] }],
    ["user", { extensions: ["~/mine.ts", "/abs.ts", "own.ts"] }],
    ["project", { extensions: ["theirs.ts"] }]
  ])
  assert.deepStrictEqual(found, {
    user: {
      extensions: [`${homedir()}/mine.ts`, "/abs.ts", "/a/own.ts"],
      packages: [
        { spec: "npm:x", baseDir: "/a", filters: {} },
        { spec: "./p", baseDir: "/a", filters: { skills: [] } }
      ],
      required: [],
      skills: [],
      prompts: [],
      roots: []
    },
    project: { extensions: ["/w/.heddle/theirs.ts"], packages: [], required: [], skills: [], prompts: [], roots: [] }
  })
})

it("--set replaces the lists of both", () => {
  const found = from([
    ["user", { extensions: ["a.ts"], packages: ["u"] }],
    ["project", { extensions: ["b.ts"], packages: ["p"] }],
    ["override", { extensions: ["c.ts"] }]
  ])
  assert.deepStrictEqual([found.user.extensions, found.project.extensions], [["/w/c.ts"], []])
  assert.deepStrictEqual([found.user.packages.length, found.project.packages.length], [1, 1])
})

it("a relative root is the project's, whoever names it; all that a project names are its own", () => {
  const found = from([
    ["user", { extensionRoots: ["~/.pi/agent", ".pi", "/opt/x"] }],
    ["project", { extensionRoots: ["/opt/y", "tools"] }]
  ])
  assert.deepStrictEqual(found.user.roots, [`${homedir()}/.pi/agent`, "/opt/x"])
  assert.deepStrictEqual(found.project.roots, ["/w/.pi", "/opt/y", "/w/tools"])
})

it("a list that does not fit is no list", () => {
  const found = from([
    ["user", { extensions: ["a.ts"], packages: [{ source: "x" }] }],
    ["user", { extensions: "b.ts", packages: [{}], extensionRoots: [""] }]
  ])
  assert.deepStrictEqual(found.user, {
    extensions: ["/a/a.ts"],
    packages: [{ spec: "x", baseDir: "/a", filters: {} }],
    required: [],
    skills: [],
    prompts: [],
    roots: []
  })
})
