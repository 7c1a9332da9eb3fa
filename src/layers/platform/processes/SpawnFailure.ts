/** Why a process could not be started, in words that say what to do about it. */
import * as Predicate from "effect/Predicate"

const advice: Readonly<Record<string, string>> = {
  EAGAIN:
    "the limit on processes is reached (EAGAIN). End programs that are not needed, or raise it: ulimit -u, or the pids limit of the container",
  EMFILE: "too many files are open (EMFILE). Close sessions that are not needed, or raise the limit: ulimit -n",
  ENFILE: "the machine has too many open files (ENFILE). End programs that are not needed",
  ENOMEM: "there is not enough memory (ENOMEM). End programs that are not needed"
}

export const codeOf = (cause: unknown): string | undefined =>
  Predicate.hasProperty(cause, "code") && Predicate.isString(cause.code) ? cause.code : undefined

export const explain = (cause: unknown): string =>
  advice[codeOf(cause) ?? ""] ?? (cause instanceof Error ? cause.message : String(cause))
