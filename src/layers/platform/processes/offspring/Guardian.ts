/**
 * Ends what heddle's commands have started when heddle itself was killed and could not: a shell that waits for the end of
 * a pipe whose other end only heddle has. It needs no word about single commands, because all their processes bear a
 * mark, and by the mark it also tells them from others that got the same number. Linux only.
 */
import { closeSync } from "node:fs"
import * as LibC from "./LibC.ts"
import * as Marks from "./Marks.ts"

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

/** The write end of the pipe while the guardian lives. */
let line: number | undefined
let isImpossible = false

const release = () => {
  if (line !== undefined) closeSync(line)
  line = undefined
}

type Watch = (child: Bun.Subprocess) => void

/**
 * Call before a command is started: a SIGKILL may come at any moment after. A guardian that somebody has killed is
 * replaced at the next command.
 */
export const ensure = (watch: Watch): void => {
  if (line === undefined && !isImpossible && Marks.isEffective()) start(watch)
}

const start = (watch: Watch) => {
  const pipe = LibC.pipe()
  if (pipe === undefined) return
  try {
    // Not our output streams: a host waits for their end. No other variable: it outlives us, and nobody asked it to keep secrets.
    const child = Marks.put(Marks.ofOthers, () =>
      Bun.spawn(["/bin/sh", "-c", script, "heddle-guardian", Marks.ofProcess], {
        cwd: "/",
        env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin" },
        detached: true,
        stdio: [pipe.output, "ignore", "ignore"]
      })
    )
    child.unref()
    line = pipe.input
    watch(child)
    void child.exited.finally(release)
  } catch (cause) {
    closeSync(pipe.input)
    // Where there is no /bin/sh, there is none the next time. When the limit on processes is reached, there may be.
    isImpossible = cause instanceof Error && "code" in cause && cause.code === "ENOENT"
  } finally {
    closeSync(pipe.output)
  }
}
