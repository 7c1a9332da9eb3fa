/**
 * One process at a time changes the files of a repository, whichever agent folder it has: the lock lies in the repository. It
 * names its process, so it is taken over when that has ended, also by `kill -9`.
 */
import * as Effect from "effect/Effect"
import { WorktreeFailed } from "../../services/delegation/Worktrees.ts"
import * as Lease from "../platform/files/Lease.ts"
import * as LocalPaths from "../platform/files/LocalPaths.ts"
import * as IsoTime from "../platform/IsoTime.ts"
import type { Repository } from "./Repository.ts"
import { failed } from "./Snapshot.ts"

const betweenLooks = "20 millis"
/** About a minute. */
const mostLooks = 3000

const busy = ({ owner: { host, pid, since } }: Lease.LeaseHeld) =>
  new WorktreeFailed({
    reason: "busy",
    message: `Process ${pid} on ${host} has been changing the files of this repository since ${since}. Try again when it is done.`
  })

/** Waiting can be interrupted, the work cannot be while it has the lock, unless it says so itself. */
export const hold = <A, E, R>({ common }: Repository, work: Effect.Effect<A, E, R>) => {
  const once = Effect.flatMap(IsoTime.now, (since) => Lease.acquire(LocalPaths.join(common, "heddle"), since))
  const acquire = once.pipe(
    Effect.tapErrorTag("LeaseHeld", () => Effect.interruptible(Effect.sleep(betweenLooks))),
    Effect.retry({ times: mostLooks, while: ({ _tag }) => _tag === "LeaseHeld" }),
    Effect.catchTags({ LeaseHeld: busy, FileRefused: failed })
  )
  return Effect.acquireUseRelease(
    acquire,
    () => work,
    (release) => release
  )
}
