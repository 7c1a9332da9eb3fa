/** The settings files of a project. Of two in a row the later one wins, key by key. */
import * as Predicate from "effect/Predicate"

/** The file of omp and its family, in a project or in the agent folder: only its settings of tasks count (protocol.md 18). */
export const ofPeers = "omp.jsonc"

const names = [ofPeers, ".heddle/heddle.jsonc", ".heddle/settings.json"]

/** The folder of pi, whose extensions heddle loads. Without `extensions` in it nothing of it counts. */
export const sharedRoot = ".pi"

export const pathsIn = (cwd: string): ReadonlyArray<string> => names.map((name) => `${cwd}/${name}`)

export const isOfPeers = (path: string): boolean => path.endsWith(`/${ofPeers}`)

/** What counts of the content of a file. The other settings of a peer have its own meaning. */
export const valuesIn = (path: string, content: unknown): unknown =>
  isOfPeers(path) && Predicate.isRecord(content)
    ? Object.fromEntries(Object.entries(content).filter(([name]) => name === "task" || name.startsWith("task.")))
    : content
