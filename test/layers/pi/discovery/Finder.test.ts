import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { homedir } from "node:os"
import { join, relative } from "node:path"
import { symlinkSync } from "node:fs"
import { code, makeUser, manifest, search } from "./support.ts"

describe("folders of extensions", () => {
  it.scoped("files of every ending, folders with an index or a manifest; nothing else", () =>
    Effect.gen(function* () {
      const root = yield* makeUser({
        "agent/extensions/a.ts": code,
        "agent/extensions/b.js": code,
        "agent/extensions/c.mjs": code,
        "agent/extensions/d.cjs": code,
        "agent/extensions/e.mts": code,
        "agent/extensions/types.d.ts": "",
        "agent/extensions/.hidden.ts": code,
        "agent/extensions/README.md": "",
        "agent/extensions/data.json": "{}",
        "agent/extensions/f/index.ts": code,
        "agent/extensions/f/other.ts": code,
        "agent/extensions/g/package.json": manifest({ pi: { extensions: ["./src/one.ts", "src/two.ts"] } }),
        "agent/extensions/g/src/one.ts": code,
        "agent/extensions/g/src/two.ts": code,
        "agent/extensions/h/package.json": manifest({ dependencies: {} }),
        "agent/extensions/h/index.js": code,
        "agent/extensions/i/lib.ts": code,
        "agent/extensions/node_modules/x/index.js": code,
        "agent/extensions/.git/index.js": code
      })
      const { extensions, problems } = yield* search(root)
      const all = [
        "a.ts",
        "b.js",
        "c.mjs",
        "d.cjs",
        "e.mts",
        "f/index.ts",
        "g/src/one.ts",
        "g/src/two.ts",
        "h/index.js"
      ]
      assert.deepStrictEqual(
        extensions,
        all.map((name) => `agent/extensions/${name}`)
      )
      assert.deepStrictEqual(problems, [])
    })
  )

  it.scoped("the manifest of heddle goes before that of pi, and that before omp's", () =>
    Effect.gen(function* () {
      const part = (name: string) => ({ extensions: [`${name}.ts`] })
      const files = { "pi.ts": code, "omp.ts": code, "heddle.ts": code }
      const folder = (name: string, values: object) =>
        Object.entries({ ...files, "package.json": manifest(values) }).map(
          ([file, text]) => [`agent/extensions/${name}/${file}`, text] as const
        )
      const root = yield* makeUser(
        Object.fromEntries([
          ...folder("1", { omp: part("omp"), pi: part("pi"), heddle: part("heddle") }),
          ...folder("2", { omp: part("omp"), pi: part("pi"), heddle: { note: "no resources" } }),
          ...folder("3", { omp: { extensions: "omp.ts" } })
        ])
      )
      assert.deepStrictEqual((yield* search(root)).extensions, [
        "agent/extensions/1/heddle.ts",
        "agent/extensions/2/pi.ts",
        "agent/extensions/3/omp.ts"
      ])
    })
  )

  it.scoped("a manifest names folders, globs and exclusions; what is missing is left out", () =>
    Effect.gen(function* () {
      const root = yield* makeUser({
        "agent/extensions/p/package.json": manifest({
          pi: { extensions: ["ext/*.ts", "!ext/old.ts", "deep/**/*.js", "folder", "nested", "missing.ts", "./", "*"] }
        }),
        "agent/extensions/p/ext/new.ts": code,
        "agent/extensions/p/ext/old.ts": code,
        "agent/extensions/p/ext/notes.md": "",
        "agent/extensions/p/deep/x/y/z.js": code,
        "agent/extensions/p/deep/node_modules/n.js": code,
        "agent/extensions/p/folder/one.ts": code,
        "agent/extensions/p/folder/two/index.ts": code,
        "agent/extensions/p/nested/package.json": manifest({ pi: { extensions: ["main.ts"] } }),
        "agent/extensions/p/nested/main.ts": code,
        "agent/extensions/p/nested/other.ts": code
      })
      const { extensions, problems } = yield* search(root)
      assert.deepStrictEqual(
        extensions.map((path) => path.replace("agent/extensions/p/", "")),
        ["ext/new.ts", "deep/x/y/z.js", "folder/one.ts", "folder/two/index.ts", "nested/main.ts"]
      )
      assert.deepStrictEqual(problems, [])
    })
  )
})

describe("order", () => {
  it.scoped("project, user, -e, settings, packages; each real path once, with where it comes from", () =>
    Effect.gen(function* () {
      const root = yield* makeUser({
        "work/.heddle/extensions/p.ts": code,
        "work/.heddle/mine/index.ts": code,
        "agent/extensions/u.ts": code,
        "agent/own.ts": code,
        "work/given.ts": code,
        "work/pack/extensions/k.ts": code,
        "work/pack/package.json": manifest({ pi: { image: "x.png" } })
      })
      symlinkSync("u.ts", join(root, "agent/extensions/again.ts"))
      const { extensions, infos, problems } = yield* search(root, {
        user: { extensions: ["own.ts", "./extensions/u.ts"], packages: ["../work/pack"] },
        project: { extensions: ["./mine"], packages: [{ source: "../pack" }] },
        extensionPaths: ["given.ts"]
      })
      assert.deepStrictEqual(extensions, [
        "work/.heddle/extensions/p.ts",
        "agent/extensions/u.ts",
        "work/given.ts",
        "work/.heddle/mine/index.ts",
        "agent/own.ts",
        "work/pack/extensions/k.ts"
      ])
      assert.deepStrictEqual(problems, [])
      const [first, second, third, fourth, fifth, sixth] = extensions
      assert.deepStrictEqual(infos, [
        { name: "p", path: first, source: "auto", scope: "project", origin: "top-level", baseDir: "work/.heddle" },
        { name: "again", path: second, source: "auto", scope: "user", origin: "top-level", baseDir: "agent" },
        { name: "given", path: third, source: "cli", scope: "temporary", origin: "top-level", baseDir: "work" },
        { name: "mine", path: fourth, source: "local", scope: "project", origin: "top-level", baseDir: "work/.heddle" },
        { name: "own", path: fifth, source: "local", scope: "user", origin: "top-level", baseDir: "agent" },
        { name: "k", path: sixth, source: "../pack", scope: "project", origin: "package", baseDir: "work/pack" }
      ])
    })
  )

  it.scoped("without trust nothing of the project; with --no-extensions only -e, and the skills of packages", () =>
    Effect.gen(function* () {
      const root = yield* makeUser({
        "work/.heddle/extensions/p.ts": code,
        "work/x.ts": code,
        "agent/extensions/u.ts": code,
        "agent/pack/extensions/k.ts": code,
        "agent/pack/skills/s/SKILL.md": "",
        "work/pack/extensions/k.ts": code
      })
      const settings = { user: { packages: ["pack"] }, project: { extensions: ["../x.ts"], packages: ["../pack"] } }
      const untrusted = yield* search(root, { ...settings, trusted: false })
      assert.deepStrictEqual(untrusted.extensions, ["agent/extensions/u.ts", "agent/pack/extensions/k.ts"])
      assert.deepStrictEqual(untrusted.skillPaths, ["agent/pack/skills"])
      const only = yield* search(root, { ...settings, only: "project", extensionPaths: ["gone"] })
      assert.deepStrictEqual(only.extensions, [
        "work/.heddle/extensions/p.ts",
        "work/x.ts",
        "work/pack/extensions/k.ts"
      ])
      const few = yield* search(root, { ...settings, noExtensions: true, extensionPaths: ["x.ts"] })
      assert.deepStrictEqual([few.extensions, few.skillPaths], [["work/x.ts"], ["agent/pack/skills"]])
    })
  )

  it.scoped("disabledExtensions by file, folder, package, in the words of omp; not those given with -e", () =>
    Effect.gen(function* () {
      const root = yield* makeUser({
        "agent/extensions/a.ts": code,
        "agent/extensions/b/index.ts": code,
        "agent/extensions/c.ts": code,
        "agent/extensions/d.ts": code,
        "agent/npm/node_modules/@x/pack/package.json": manifest({ pi: { extensions: ["dist/index.js"] } }),
        "agent/npm/node_modules/@x/pack/dist/index.js": code,
        "work/a.ts": code
      })
      const { extensions } = yield* search(root, {
        user: { packages: ["npm:@x/pack"] },
        disabled: ["a", "b", "extension-module:c", "@x/pack"],
        extensionPaths: ["a.ts"]
      })
      assert.deepStrictEqual(extensions, ["agent/extensions/d.ts", "work/a.ts"])
    })
  )
})

describe("-e", () => {
  it.scoped("takes a file, a folder, a package and an installed package; ~ is the home folder", () =>
    Effect.gen(function* () {
      const root = yield* makeUser({
        "work/file.weird": code,
        "work/folder/index.ts": code,
        "work/pack/package.json": manifest({ pi: { extensions: ["e.ts"], skills: ["s"], prompts: ["p/*.md"] } }),
        "work/pack/e.ts": code,
        "work/pack/s/one/SKILL.md": "",
        "work/pack/p/a.md": "",
        "work/pack/p/a.txt": "",
        "agent/node_modules/plain/index.js": code,
        "work/many/one.ts": code,
        "work/many/two/index.ts": code,
        "work/empty/": ""
      })
      const home = `~/${relative(homedir(), join(root, "work/many"))}`
      const found = yield* search(root, {
        extensionPaths: ["file.weird", "./folder/", "pack", "npm:plain", home, "empty"]
      })
      assert.deepStrictEqual(found.extensions, [
        "work/file.weird",
        "work/folder/index.ts",
        "work/pack/e.ts",
        "agent/node_modules/plain/index.js",
        "work/many/one.ts",
        "work/many/two/index.ts"
      ])
      assert.deepStrictEqual([found.skillPaths, found.promptPaths], [["work/pack/s"], ["work/pack/p/a.md"]])
      assert.deepStrictEqual(found.problems, ["work/empty: there is no extension"])
      assert.isTrue(found.infos.every(({ scope, source }) => source === "cli" && scope === "temporary"))
    })
  )

  it.scoped("fails where nothing is, and says how to install what is not", () =>
    Effect.gen(function* () {
      const root = yield* makeUser({})
      const failure = (path: string) =>
        Effect.map(Effect.flip(search(root, { extensionPaths: [path] })), ({ message }) => message.replaceAll(root, ""))
      assert.strictEqual(yield* failure("gone.ts"), "--extension gone.ts: no such file or folder")
      assert.strictEqual(
        yield* failure("npm:@a/b@1.2.3"),
        "--extension npm:@a/b@1.2.3: is not installed; run: npm install --prefix /agent/npm --ignore-scripts --omit=peer @a/b@1.2.3"
      )
      assert.strictEqual(
        yield* failure("npm:../../work"),
        "--extension npm:../../work: is not the name of an npm package"
      )
      assert.match(yield* failure("git:github.com/a/b"), /^--extension git:github.com\/a\/b: only local paths and npm:/)
    })
  )
})
