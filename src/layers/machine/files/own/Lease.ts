/**
 * The right to write a session: a small file beside it that names the process. `link` creates it together with its text, so
 * no reader sees an empty one. A lease whose process has ended is taken over. A process is identified by its number and start.
 */
import * as nodeFs from "node:fs"
import { hostname } from "node:os"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Json from "../../../../domain/Json.ts"
import * as Attempt from "../../engine/Attempt.ts"
import * as Engine from "../../engine/Engine.ts"
import { FileRefused, refused } from "../FileErrors.ts"
import * as RegularFile from "../RegularFile.ts"

export interface Owner {
  readonly pid: number
  readonly host: string
  readonly since: string
  /** The start time of the process; empty where the system does not have it. */
  readonly start: string
}

export class LeaseHeld extends Data.TaggedError("LeaseHeld")<{ readonly owner: Owner }> {}

const readSystem = (path: string) => Attempt.orUndefined(() => nodeFs.readFileSync(path, "latin1"))

/** Fails for what cannot be a lease: waiting for it to go away would not help. */
const read = (path: string): string | undefined => {
  try {
    return Buffer.from(RegularFile.readStart(path)).toString("latin1")
  } catch (cause) {
    if (cause instanceof FileRefused) throw cause
    return undefined
  }
}

/** The id of the boot and the ticks since then. */
const startOf = (pid: number): string => {
  const stat = readSystem(`/proc/${pid}/stat`)
  const ticks = stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19]
  const boot = readSystem("/proc/sys/kernel/random/boot_id")?.trim()
  return ticks === undefined || boot === undefined ? "" : `${boot}:${ticks}`
}

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    return Predicate.hasProperty(cause, "code") && cause.code === "EPERM"
  }
}

const isOwner = (value: unknown): value is Owner =>
  Predicate.hasProperty(value, "pid") &&
  Number.isInteger(value.pid) &&
  Predicate.hasProperty(value, "host") &&
  typeof value.host === "string" &&
  Predicate.hasProperty(value, "since") &&
  typeof value.since === "string" &&
  Predicate.hasProperty(value, "start") &&
  typeof value.start === "string"

/** A process of another machine cannot be looked at, so it counts as alive. */
const isAlive = (owner: Owner): boolean => {
  if (owner.host !== hostname()) return true
  if (!isRunning(owner.pid)) return false
  const start = startOf(owner.pid)
  return owner.start === "" || start === "" || owner.start === start
}

const ownerIn = (text: string): Owner | undefined => {
  const value = Either.getOrUndefined(Json.parse(text))
  return isOwner(value) ? value : undefined
}

const hasCode = (cause: unknown, ...codes: ReadonlyArray<string>) =>
  Predicate.hasProperty(cause, "code") && codes.some((code) => cause.code === code)

/** False when there is a lease already. */
const publish = (lease: string, text: string): boolean => {
  const draft = `${lease}.${crypto.randomUUID().slice(0, 8)}.tmp`
  RegularFile.write(draft, text)
  try {
    nodeFs.linkSync(draft, lease)
    return true
  } catch (cause) {
    if (hasCode(cause, "EEXIST")) return false
    // On file systems without hard links the lease is written directly.
    if (!hasCode(cause, "EPERM", "ENOTSUP", "ENOSYS", "EMLINK")) throw cause
    return placeWithoutLink(lease, text)
  } finally {
    nodeFs.rmSync(draft, { force: true })
  }
}

const placeWithoutLink = (lease: string, text: string): boolean => {
  try {
    RegularFile.write(lease, text)
    return true
  } catch (cause) {
    if (hasCode(cause, "EEXIST")) return false
    throw cause
  }
}

/** A file as it was when it was read. */
interface Seen {
  readonly path: string
  readonly text: string
}

const isUnchanged = ({ path, text }: Seen): boolean => read(path) === text

/** FNV-1a, twice 32 bits. It is the same on Bun and on Node, whose processes may compete for a session. */
const fingerprint = (text: string): string => {
  let low = 0x811c9dc5
  let high = 0x050c5d1f
  for (let at = 0; at < text.length; at++) {
    low = Math.imul(low ^ text.charCodeAt(at), 0x01000193)
    high = Math.imul(high ^ text.charCodeAt(text.length - 1 - at), 0x01000193)
  }
  return (low >>> 0).toString(36) + (high >>> 0).toString(36)
}

/**
 * Takes the lease of a dead owner over. Of several processes that try, only one can create the file that is named after
 * the lease's text, and only that one replaces the lease, which exists at every moment. The others see that it has changed.
 * When a process dies here, its file counts as a part of the lease, and so the next process takes over from it.
 */
const succeed = (lease: Seen, text: string, between: ReadonlyArray<Seen> = []): Owner | "mine" | "again" => {
  const seen = [lease, ...between]
  const path = `${lease.path}.${fingerprint(seen.map((file) => file.text).join(""))}.tmp`
  if (publish(path, text)) {
    try {
      if (!seen.every(isUnchanged)) return "again"
      const draft = `${path}.new`
      nodeFs.rmSync(draft, { force: true })
      RegularFile.write(draft, text)
      nodeFs.renameSync(draft, lease.path)
      for (const { path } of between) nodeFs.rmSync(path, { force: true })
      return "mine"
    } finally {
      nodeFs.rmSync(path, { force: true })
    }
  }
  const held = read(path)
  if (held === undefined) return "again"
  const owner = ownerIn(held)
  if (owner !== undefined && isAlive(owner)) return owner
  return succeed(lease, text, [...between, { path, text: held }])
}

const attempts = 100

const take = (lease: string, text: string): Owner | undefined => {
  let owner: Owner | undefined
  for (let attempt = 0; attempt < attempts; attempt++) {
    if (publish(lease, text)) return undefined
    const held = read(lease)
    if (held === undefined) continue
    owner = ownerIn(held)
    if (owner !== undefined && isAlive(owner)) return owner
    const result = succeed({ path: lease, text: held }, text)
    if (result === "mine") return undefined
    if (result === "again") continue
    // Another process is taking the lease over; it will have it or give up in a moment.
    owner = result
    Engine.sleepSync(1)
  }
  return owner ?? { pid: 0, host: "an unknown machine", since: "an unknown time", start: "" }
}

export const leaseOf = (file: string): string => `${file}.lease`

/** The returned effect releases the lease. `since` is shown to people. */
export const acquire = (file: string, since: string): Effect.Effect<Effect.Effect<void>, LeaseHeld | FileRefused> =>
  Effect.suspend(() => {
    const lease = leaseOf(file)
    const text = JSON.stringify({ pid: process.pid, host: hostname(), since, start: startOf(process.pid) })
    const mine = `${text}\n`
    return Effect.flatMap(
      Effect.try({ try: () => take(lease, mine), catch: refused(lease) }),
      (owner): Effect.Effect<Effect.Effect<void>, LeaseHeld> =>
        owner === undefined
          ? Effect.succeed(
              Effect.ignore(
                Effect.try(() => {
                  if (read(lease) === mine) nodeFs.rmSync(lease, { force: true })
                })
              )
            )
          : new LeaseHeld({ owner })
    )
  })

/** The living process that holds the lease, if there is one. */
export const holder = (file: string): Effect.Effect<Owner | undefined> =>
  Effect.sync(() => {
    const held = read(leaseOf(file))
    const owner = held === undefined ? undefined : ownerIn(held)
    return owner !== undefined && isAlive(owner) ? owner : undefined
  })
