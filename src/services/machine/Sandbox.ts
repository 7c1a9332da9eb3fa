/**
 * Whether a sandbox holds what heddle starts and the files that its tools open, and what it holds. The Layers of `Processes` and
 * `Files` do the work (layers/machine/sandbox); this says what they do. None by default: code that asks need not care whether there is one.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"

export const SandboxSetting = Schema.Literal("off", "workspace-write", "read-only").annotations({
  identifier: "SandboxSetting",
  description: "What commands and file tools may change: anything, nothing, or the working folder."
})
export type SandboxMode = Exclude<typeof SandboxSetting.Type, "off">

export const Backend = Schema.Literal("bubblewrap", "landlock", "seatbelt", "none").annotations({
  identifier: "SandboxBackend",
  description: "By what means programs are held."
})
export type Backend = typeof Backend.Type

/** `protected`: it lies in a writable folder, and is read-only all the same, such as `.git`. */
export type Place = "writable" | "read-only" | "protected" | "invisible"

/** For the result of a command. */
export interface Report {
  readonly mode: SandboxMode
  readonly network: "open" | "off"
  readonly backend: Backend
  /** Whether the command failed in a way that the sandbox explains. */
  readonly denied: boolean
}

export interface Judged {
  readonly report: Report
  /** What would allow it; absent unless it was denied. */
  readonly advice?: string
}

/** No sandbox of heddle holds these: code of extensions runs in its process, and tools of the host in that of the host. */
export const neverHeld: ReadonlyArray<string> = ["extensions", "host_tools"]

export interface SandboxInForce {
  readonly mode: SandboxMode
  readonly network: "open" | "off"
  readonly backend: Backend
  /** What it does not hold. */
  readonly outside: ReadonlyArray<string>
  /** Where a path stands once its links are followed; one that does not exist yet, where its folder stands. */
  readonly place: (path: string) => Effect.Effect<Place>
  /** Where a path leads, links followed, whatever the sandbox lets anybody do there. */
  readonly leadsTo: (path: string) => Effect.Effect<string>
  /** What the result of a command has to say about the sandbox. */
  readonly judge: (result: { readonly exitCode?: number; readonly output: string }) => Effect.Effect<Judged>
  /** Lets the file tools read a file in a folder that is invisible otherwise: the full output of a command. */
  readonly show: (path: string) => void
  /** Until the scope closes, gets a sentence for the host about what a command has left behind. */
  readonly listen: (tell: (message: string) => void) => Effect.Effect<void, never, Scope.Scope>
}

export class Sandbox extends Context.Reference<Sandbox>()("heddle/services/machine/Sandbox", {
  defaultValue: (): SandboxInForce | undefined => undefined
}) {}

/** Why there is no sandbox although one would be in force by default; undefined where none is missed. */
export class Unheld extends Context.Reference<Unheld>()("heddle/services/machine/Sandbox/Unheld", {
  defaultValue: (): string | undefined => undefined
}) {}

/** What was decided about a call that asks to run without the sandbox. Until it was approved, it does not run at all. */
export type Escalation = "undecided" | "inside" | "without"

export class Decided extends Context.Reference<Decided>()("heddle/services/machine/Sandbox/Decided", {
  defaultValue: (): Escalation => "undecided"
}) {}

export type Escalated = Exclude<Escalation, "undecided">

/** Around one call, and only after the user has approved exactly this call. Nothing remembers it. */
export const decided =
  (escalation: Escalated) =>
  <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(call, Decided, escalation)

/** The folder that counts as the working folder: the worktree of an isolated subagent. */
export class SandboxWorkspace extends Context.Reference<SandboxWorkspace>()(
  "heddle/services/machine/Sandbox/Workspace",
  { defaultValue: (): string | undefined => undefined }
) {}

export const inWorkspace =
  (folder: string | undefined) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    folder === undefined ? work : Effect.provideService(work, SandboxWorkspace, folder)

/** The level that was asked for cannot be had here. `fix` is the line that changes it. */
export class SandboxUnavailable extends Schema.TaggedError<SandboxUnavailable>()("SandboxUnavailable", {
  reason: Schema.String,
  fix: Schema.String
}) {
  override get message() {
    return `The sandbox cannot be had: ${this.reason}\nfix: ${this.fix}`
  }
}

/** What the options of a sandbox ask for makes no sense. */
export class SandboxRefused extends Schema.TaggedError<SandboxRefused>()("SandboxRefused", {
  message: Schema.String
}) {}
