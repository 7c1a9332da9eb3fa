import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { code, makeUser, manifest, search } from "./support.ts"

const pack = {
  "agent/pack/package.json": manifest({ keywords: ["pi-package"] }),
  "agent/pack/extensions/a.ts": code,
  "agent/pack/extensions/b.ts": code,
  "agent/pack/extensions/c/index.ts": code,
  "agent/pack/skills/one/SKILL.md": "",
  "agent/pack/skills/two/SKILL.md": "",
  "agent/pack/prompts/x.md": "",
  "agent/pack/prompts/y.md": ""
}

const chosen = (root: string, filters: object) =>
  Effect.map(search(root, { user: { packages: [{ source: "./pack", ...filters }] } }), (found) =>
    [found.extensions, found.skillPaths, found.promptPaths].map((paths) =>
      paths.map((path) => path.replace("agent/pack/", ""))
    )
  )

it.scoped("without lists the conventional folders count; filters choose among what is there", () =>
  Effect.gen(function* () {
    const root = yield* makeUser(pack)
    const all = ["extensions/a.ts", "extensions/b.ts", "extensions/c/index.ts"]
    assert.deepStrictEqual(yield* chosen(root, {}), [all, ["skills"], ["prompts"]])
    assert.deepStrictEqual(yield* chosen(root, { extensions: [], skills: [], prompts: [] }), [[], [], []])
    assert.deepStrictEqual(
      yield* chosen(root, { extensions: ["extensions/*.ts", "!extensions/b.ts"], prompts: ["y.md"] }),
      [["extensions/a.ts"], ["skills"], ["prompts/y.md"]]
    )
    assert.deepStrictEqual(
      yield* chosen(root, { extensions: ["!a.ts", "-extensions/c/index.ts"], skills: ["!skills/one"] }),
      [["extensions/b.ts"], ["skills/two"], ["prompts"]]
    )
    assert.deepStrictEqual(yield* chosen(root, { extensions: ["extensions/a.ts", "+extensions/b.ts"] }), [
      ["extensions/a.ts", "extensions/b.ts"],
      ["skills"],
      ["prompts"]
    ])
  })
)

it.scoped("a manifest hides what it does not list, and may reach outside of its folder", () =>
  Effect.gen(function* () {
    const root = yield* makeUser({
      ...pack,
      "agent/pack/package.json": manifest({
        pi: { extensions: ["extensions/a.ts"], skills: ["skills", "../shared/skills", "!skills/two"] }
      }),
      "agent/shared/skills/s/SKILL.md": ""
    })
    const found = yield* search(root, { user: { packages: ["pack"] } })
    assert.deepStrictEqual(
      [found.extensions, found.skillPaths, found.promptPaths],
      [["agent/pack/extensions/a.ts"], ["agent/pack/skills/one", "agent/shared/skills/s"], []]
    )
  })
)

it.scoped("a package may be a file, or a folder that is an extension itself; a problem does not stop the others", () =>
  Effect.gen(function* () {
    const root = yield* makeUser({
      "agent/single.ts": code,
      "agent/plain/index.js": code,
      "agent/broken/package.json": "{ nonsense",
      "agent/broken/index.ts": code,
      "agent/npm/node_modules/old/package.json": manifest({ version: "1.0.0", pi: { extensions: ["x.ts"] } }),
      "agent/npm/node_modules/old/x.ts": code
    })
    const found = yield* search(root, {
      user: {
        packages: ["single.ts", "./gone", "plain", "npm:absent", "https://example.com/x", "broken", "npm:old@2.0.0"],
        extensions: ["nowhere.ts"]
      }
    })
    assert.deepStrictEqual(found.extensions, [
      "agent/single.ts",
      "agent/plain/index.js",
      "agent/broken/index.ts",
      "agent/npm/node_modules/old/x.ts"
    ])
    assert.deepStrictEqual(
      found.problems.map((text) => text.replace(/JSON: .*/, "JSON")),
      [
        "agent/nowhere.ts: there is no extension; the setting `extensions` names it",
        "./gone: no such file or folder",
        "npm:absent: is not installed; run: npm install --prefix /agent/npm --ignore-scripts --omit=peer absent",
        "https://example.com/x: only local paths and npm: are supported; clone or install the package and give its path",
        "agent/broken/package.json: is not a manifest in JSON",
        "npm:old@2.0.0: version 1.0.0 is installed and used"
      ]
    )
  })
)

it.scoped("the first that names a package decides what is taken from it: the project before the user", () =>
  Effect.gen(function* () {
    const root = yield* makeUser({
      "agent/npm/node_modules/tools/extensions/a.ts": code,
      "agent/npm/node_modules/tools/extensions/b.ts": code
    })
    const packages = { user: { packages: ["npm:tools"] } }
    const project = { packages: [{ source: "npm:tools", extensions: ["b.ts"] }] }
    const both = ["agent/npm/node_modules/tools/extensions/a.ts", "agent/npm/node_modules/tools/extensions/b.ts"]
    assert.deepStrictEqual((yield* search(root, packages)).extensions, both)
    assert.deepStrictEqual((yield* search(root, { ...packages, project })).extensions, both.slice(1))
    assert.deepStrictEqual((yield* search(root, { ...packages, project, trusted: false })).extensions, both)
  })
)

it.scoped(
  "extra roots: folders, settings, packages and texts of pi; those of the project need trust, their texts do not",
  () =>
    Effect.gen(function* () {
      const root = yield* makeUser({
        "pi/extensions/p.ts": code,
        "pi/settings.json": '{ "packages": ["npm:known", "./local"], "extensions": ["more.ts"], } // mine',
        "pi/more.ts": code,
        "pi/local/extensions/l.ts": code,
        "pi/npm/node_modules/known/index.ts": code,
        "pi/skills/s/SKILL.md": "",
        "pi/prompts/p.md": "",
        "work/.pi/extensions/w.ts": code,
        "work/.pi/settings.json": "[ broken",
        "work/.pi/skills/s/SKILL.md": ""
      })
      const user = { extensionRoots: [`${root}/pi`, ".pi"] }
      const trusted = yield* search(root, { user })
      const mine = [
        "pi/extensions/p.ts",
        "pi/more.ts",
        "pi/npm/node_modules/known/index.ts",
        "pi/local/extensions/l.ts"
      ]
      assert.deepStrictEqual(trusted.extensions, ["work/.pi/extensions/w.ts", ...mine])
      assert.deepStrictEqual(trusted.infos[0], {
        name: "w",
        path: "work/.pi/extensions/w.ts",
        source: "auto",
        scope: "project",
        origin: "top-level",
        baseDir: "work/.pi"
      })
      assert.match(trusted.problems.join(), /^work\/\.pi\/settings\.json: cannot be read: /)
      const untrusted = yield* search(root, { user, trusted: false })
      assert.deepStrictEqual(untrusted.extensions, mine)
      assert.deepStrictEqual(untrusted.skillPaths, ["work/.pi/skills", "pi/skills"])
      assert.deepStrictEqual(untrusted.promptPaths, ["pi/prompts"])
    })
)
