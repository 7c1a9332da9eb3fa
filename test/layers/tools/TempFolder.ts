/** A real folder for tests that read files; it goes away with the scope. */
import { Effect } from "effect"
import { mkdir, mkdtemp, readdir, readlink, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

export const tempFolder = Effect.acquireRelease(
  Effect.promise(async () => realpath(await mkdtemp(join(tmpdir(), "heddle-test-")))),
  (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
)

/** Files by their relative name; a name that ends in `/` is a folder. */
export const withFiles = (files: Readonly<Record<string, string | Uint8Array>>) =>
  Effect.tap(tempFolder, (folder) =>
    Effect.promise(async () => {
      const folderOf = (name: string) => join(folder, name.endsWith("/") ? name : dirname(name))
      const folders = new Set(Object.keys(files).map(folderOf))
      await Promise.all(Array.from(folders, (path) => mkdir(path, { recursive: true })))
      const contents = Object.entries(files).filter(([name]) => !name.endsWith("/"))
      await Promise.all(contents.map(([name, content]) => writeFile(join(folder, name), content)))
    })
  )

/** How many of our descriptors are open on a path; Linux tells. */
export const descriptorsOf = (path: string) =>
  Effect.promise(async () => {
    const descriptors = await readdir("/proc/self/fd")
    const targets = await Promise.all(descriptors.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => "")))
    return targets.filter((target) => target === path).length
  })
