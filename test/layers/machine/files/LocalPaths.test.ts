import { assert, it } from "@effect/vitest"
import { homedir } from "node:os"
import * as LocalPaths from "../../../../src/layers/machine/files/LocalPaths.ts"

const base = { cwd: "/srv/project", home: "/home/ada" }

it.each([
  ["src/a.ts", "/srv/project/src/a.ts"],
  ["./src/../b.ts", "/srv/project/b.ts"],
  ["../other", "/srv/other"],
  [".", "/srv/project"],
  ["/etc/hosts", "/etc/hosts"],
  ["~", "/home/ada"],
  ["~/notes.md", "/home/ada/notes.md"],
  ["~ada/notes.md", "/srv/project/~ada/notes.md"],
  ["src/~/a", "/srv/project/src/~/a"],
  ["@src/a.ts", "/srv/project/src/a.ts"],
  ["@/etc/hosts", "/etc/hosts"],
  ["@~/notes.md", "/home/ada/notes.md"],
  ["@@a", "/srv/project/@a"],
  ["./@scope/a", "/srv/project/@scope/a"],
  ["node_modules/@types", "/srv/project/node_modules/@types"]
])("%s is %s", (argument, expected) => {
  assert.strictEqual(LocalPaths.ofArgument(argument, base), expected)
})

it("the home is that of the user", () => {
  assert.strictEqual(LocalPaths.ofArgument("~", { cwd: "/" }), homedir())
})

it.each([
  ["/work/project/src/a.ts", "src/a.ts"],
  ["/work/project/..odd/a", "..odd/a"],
  ["/work/project", "/work/project"],
  ["/work/other/a", "/work/other/a"],
  ["/work", "/work"]
])("%s is shown as %s", (path, expected) => {
  assert.strictEqual(LocalPaths.display(path, "/work/project"), expected)
})
