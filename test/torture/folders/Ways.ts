/** The documented ways to start heddle for a project, as docs/hosts/starting.md lists them. */
import { mkdirSync, symlinkSync } from "node:fs"
import { devNull } from "node:os"
import { delimiter, join, resolve } from "node:path"
import { isProgram } from "../../support/host/Chromium.ts"
import { bun, entry, type Place } from "../../support/torture/Heddle.ts"

const root = resolve(import.meta.dirname, "../../..")

/** Under `bun --bun` the first node on PATH is bun. */
const node =
  (process.env["PATH"] ?? "")
    .split(delimiter)
    .map((folder) => join(folder, "node"))
    .find(
      (path) =>
        isProgram(path) && Bun.spawnSync([path, "-p", "process.versions.bun"]).stdout.toString().trim() === "undefined"
    ) ?? "node"

export interface Way {
  readonly command: (place: Place) => ReadonlyArray<string>
  /** The folder that the process is started in: the project, unless the way needs another one. */
  readonly cwd?: string
  /** bun itself runs the `preload` of the project's bunfig.toml before heddle: the launcher can only warn. */
  readonly preloads?: true
}

const link = (place: Place) => {
  const folder = join(place.root, "bin")
  mkdirSync(folder, { recursive: true })
  symlinkSync(entry, join(folder, "heddle"))
  return join(folder, "heddle")
}

export const ways: Readonly<Record<string, Way>> = {
  "bun-run-cli": { command: ({ work }) => [bun, "run", "--silent", "cli", "--cwd", work], cwd: root },
  node: { command: () => [node, entry] },
  link: { command: (place) => [node, link(place)] },
  "bun-safe": { command: () => [bun, "--no-env-file", `--config=${devNull}`, `--tsconfig-override=${devNull}`, entry] },
  bun: { command: () => [bun, entry], preloads: true }
}
