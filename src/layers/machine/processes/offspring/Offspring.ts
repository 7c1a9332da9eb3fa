/** The one way in which heddle starts a process: marked, with what it leaves behind adopted, and no secret of ours in sight. */
import * as Effect from "effect/Effect"
import * as OwnSecrets from "../OwnSecrets.ts"
import type { Child, SpawnOptions } from "../spawn/Child.ts"
import * as Spawn from "../spawn/Spawn.ts"
import * as Marks from "./Marks.ts"
import * as Orphans from "./Orphans.ts"

/**
 * $1 begins the marks of this process. A member gets one TERM and, less than a second later, KILL. Zombies do not count: the first
 * process of a container may reap late or never. One look may miss a process whose parent ends meanwhile, two do not.
 */
const script = `trap '' HUP INT TERM PIPE
cd /proc || exit
while read -r _; do :; done
told=' '
round=0
missed=0
while [ $round -lt 40 ]; do
  found=
  for file in $(grep -lsE "^Max file locks +$1[1-9][0-9]{8} |HEDDLE_PROCESS_MARK=$1" [0-9]*/limits [0-9]*/environ); do
    pid=\${file%/*}
    read -r stat < $pid/stat || continue
    case \${stat##*) } in Z*) continue;; esac
    found=1
    if [ $round -ge 7 ]; then kill -KILL $pid
    else case $told in *" $pid "*) ;; *) told="$told$pid "; kill -TERM $pid; kill -CONT $pid;; esac; fi
  done
  if [ "$found" ]; then missed=0; else
    [ $missed -eq 1 ] && exit
    missed=1
    continue
  fi
  round=$((round + 1))
  sleep 0.1 || { sleep 1; round=$((round + 9)); }
done 2>/dev/null`

/** False while there is one, or where there cannot be one. */
let isNeeded = true

const options = (): SpawnOptions => ({
  command: ["/bin/sh", "-c", script, "heddle-guardian", Marks.ofProcess],
  cwd: "/",
  // No other variable: it outlives us, and must not keep secrets.
  env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin" },
  // Its end tells that we have ended. It has not our output streams: a host waits for their end.
  holdsInput: true,
  mark: Marks.ofOthers
})

const keep = (child: Child, watch: (child: Child) => void) => {
  child.unref()
  watch(child)
  void child.exited.then(() => {
    child.release()
    isNeeded = true
  })
}

/**
 * Starts the guardian. It ends what heddle's commands have started when heddle itself was killed and could not: a shell that
 * waits for the end of a pipe whose other end only heddle has. It needs no word about single commands, because all their
 * processes bear a mark, and by the mark it also tells them from others that got the same number. Linux only.
 * Call before a command is started: a SIGKILL may come at any moment after. A guardian that was killed is replaced at the next command.
 */
const ensureGuardian = (watch: (child: Child) => void): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (!isNeeded || !Marks.isEffective()) return Effect.void
    isNeeded = false
    return Effect.match(Spawn.spawn(options()), {
      onSuccess: (child) => keep(child, watch),
      onFailure: (cause) => {
        // Where there is no /bin/sh, there is none the next time. When the limit on processes is reached, there may be.
        isNeeded = Spawn.codeOf(cause) !== "ENOENT"
      }
    })
  })

/** Fails with what the engine throws. */
export const start = (options: SpawnOptions): Effect.Effect<Child, unknown> =>
  Effect.suspend(() => {
    OwnSecrets.hide()
    Orphans.adopt()
    const guarded = options.mark === Marks.ofOthers ? Effect.void : ensureGuardian(Orphans.watch)
    return Effect.tap(Effect.zipRight(guarded, Spawn.spawn(options)), (child) =>
      Effect.sync(() => Orphans.watch(child))
    )
  })
