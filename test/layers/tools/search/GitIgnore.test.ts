import { assert, it } from "@effect/vitest"
import { Effect, FastCheck as fc } from "effect"
import { join } from "node:path"
import * as LocalFiles from "../../../../src/layers/machine/files/LocalFiles.ts"
import * as GitIgnore from "../../../../src/layers/tools/search/GitIgnore.ts"
import * as Walk from "../../../../src/layers/tools/search/Walk.ts"
import { withFiles } from "../TempFolder.ts"

it("one file: patterns, folders, anchors, negation, escapes", () => {
  const cases: ReadonlyArray<readonly [rules: string, ignored: ReadonlyArray<string>, kept: ReadonlyArray<string>]> = [
    ["*.log", ["a.log", "b/a.log"], ["a.log.txt"]],
    ["dist/", ["dist/", "a/dist/"], ["dist", "distx/"]],
    ["/build", ["build", "build/"], ["a/build"]],
    ["a/b", ["a/b"], ["c/a/b"]],
    ["**/a/b", ["a/b", "c/a/b"], ["a"]],
    ["a/**", ["a/b", "a/b/c"], ["a/"]],
    ["a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["b"]],
    ["*.log\n!keep.log", ["a.log"], ["keep.log", "x/keep.log"]],
    ["!a\na", ["a"], []],
    ["# comment\n\n  \n#x", [], ["# comment", "#x"]],
    ["\\#x\n\\!y", ["#x", "!y"], ["x", "y"]],
    ["space  \nkept\\ ", ["space", "kept "], ["space  ", "kept"]],
    ["a.txt\r\nb.txt\r\n", ["a.txt", "b.txt"], ["a.txt\r"]],
    ["\uFEFFa", ["a"], []],
    ["{a,b}", ["{a,b}"], ["a", "b"]],
    ["[abc].o\n[!x].p", ["a.o", "y.p"], ["d.o", "x.p"]],
    ["/", [], ["a", "a/"]],
    ["*", ["a", "a/", ".b"], []]
  ]
  for (const [rules, ignored, kept] of cases) {
    const file = GitIgnore.parse("/r", rules)
    const isIgnored = (name: string) => GitIgnore.ignores([file], `/r/${name.replace(/\/$/, "")}`, name.endsWith("/"))
    for (const name of ignored) assert.isTrue(isIgnored(name), `${JSON.stringify(rules)} should ignore ${name}`)
    for (const name of kept) assert.isFalse(isIgnored(name), `${JSON.stringify(rules)} should keep ${name}`)
  }
})

it("several files: the deepest that says something decides, and only for what is below it", () => {
  const files = [GitIgnore.parse("/r", "*.log\n/x"), GitIgnore.parse("/r/a", "!b.log\n/x")]
  const ignored = ["/r/b.log", "/r/x", "/r/a/c.log", "/r/a/x", "/r/ab/b.log"]
  const kept = ["/r/a/b.log", "/r/a/c/x", "/r/b/x", "/other/b.log"]
  for (const path of ignored) assert.isTrue(GitIgnore.ignores(files, path, false), path)
  for (const path of kept) assert.isFalse(GitIgnore.ignores(files, path, false), path)
})

const collect = Effect.fnUntraced(function* (root: string) {
  const walk = yield* Walk.make(root)
  const files: Array<string> = []
  for (let batch = yield* walk.next(7); batch.length > 0; batch = yield* walk.next(7)) {
    files.push(...batch.filter(({ kind }) => kind === "file").map(({ path }) => path.slice(root.length + 1)))
  }
  return files
}, Effect.provide(LocalFiles.layer))

const name = fc.constantFrom("a", "b", "c.log", "d.txt", ".e")
const rule = fc
  .tuple(
    fc.constantFrom("", "", "!"),
    fc.constantFrom("", "", "/", "**/"),
    fc.constantFrom("a", "b", "*.log", "?", "a/b", "a/**", "*/b", "[ab]", "c*", ".e", "**/d.txt", "*"),
    fc.constantFrom("", "", "/")
  )
  .map((parts) => parts.join(""))
const rules = fc.array(rule, { maxLength: 4 }).map((all) => all.join("\n"))
const tree = fc.record({
  paths: fc.array(fc.array(name, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 12 }),
  root: rules,
  nested: rules
})

it.scoped(
  "property: a walk sees the files that git sees",
  () =>
    Effect.gen(function* () {
      const repository = yield* withFiles({ ".gitignore": "" })
      Bun.spawnSync(["git", "-C", repository, "init", "-q"])
      for (const { nested, paths, root } of fc.sample(tree, 40)) {
        const inside = paths.map((path) => [...path.map((part) => `${part}_`).slice(0, -1), path.at(-1)].join("/"))
        const named = inside.map((path) => path.replaceAll(/\ba_/g, "a").replaceAll(/\bb_/g, "b"))
        // A name cannot be a file and a folder at once.
        const files = named.filter((path) => !named.some((other) => other.startsWith(`${path}/`)))
        const folder = yield* withFiles({
          ...Object.fromEntries(files.map((path) => [path, "x"])),
          ".gitignore": root,
          ".git/config": "",
          ...(files.some((path) => path.startsWith("a/")) ? { "a/.gitignore": nested } : {})
        })
        // One repository is enough: what counts are the files around it.
        const place = ["-C", folder, `--git-dir=${repository}/.git`, "--work-tree=."]
        const listed = Bun.spawnSync(["git", ...place, "ls-files", "-coz", "--exclude-per-directory=.gitignore"])
        const expected = listed.stdout.toString().split("\0").slice(0, -1)
        assert.sameMembers(yield* collect(folder), expected, JSON.stringify({ root, nested, files }))
      }
    }),
  60_000
)

it.scoped("files above the root count, up to the top of the repository; .git is never entered", () =>
  Effect.gen(function* () {
    const folder = yield* withFiles({
      ".gitignore": "*.out",
      "repo/.git/config": "",
      "repo/.gitignore": "*.log",
      "repo/sub/a.log": "",
      "repo/sub/b.out": "",
      "repo/sub/c.txt": "",
      "plain/d.out": "",
      "plain/e": ""
    })
    assert.deepStrictEqual(yield* collect(join(folder, "repo/sub")), ["b.out", "c.txt"])
    assert.deepStrictEqual(yield* collect(join(folder, "plain")), ["e"])
    assert.deepStrictEqual(yield* collect(join(folder, "repo")), [".gitignore", "sub/b.out", "sub/c.txt"])
    assert.deepStrictEqual(yield* collect(join(folder, "nowhere")), [])
  })
)
