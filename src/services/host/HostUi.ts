/**
 * Questions and notices for the person behind the host. A question is an Effect: an interrupt withdraws it. Without a person
 * to answer, or an answer in time, it gets its default (protocol.md 11.2).
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Scope from "effect/Scope"

export interface Question {
  readonly title: string
  /** After which the question gets its default. Unlimited where absent, or not above zero. */
  readonly timeoutMs?: number
  /** Run before the question gets its default because its time is over. */
  readonly onTimeout?: Effect.Effect<void>
}

export interface SelectQuestion extends Question {
  readonly options: ReadonlyArray<string>
  /** Parallel to `options`. */
  readonly details?: ReadonlyArray<{ readonly description?: string }>
  /** The approval that the question is about; hosts that know approvals may answer that instead. */
  readonly approvalId?: string
  /** The option that a terminal marks first, which is otherwise the first one. Hosts do not see it. */
  readonly chosen?: string | undefined
}

export interface ConfirmQuestion extends Question {
  readonly message: string
  /** Runs where the answer is false because there was none. */
  readonly onUnanswered?: Effect.Effect<void>
}

export interface InputQuestion extends Question {
  readonly placeholder?: string
}

export interface EditorQuestion extends Question {
  readonly prefill?: string
  readonly promptStyle?: boolean
}

export interface Notification {
  readonly message: string
  readonly level?: "info" | "warning" | "error"
}

export interface Widget {
  readonly key: string
  /** Absent: the widget is removed. */
  readonly lines?: ReadonlyArray<string>
  readonly placement?: "aboveEditor" | "belowEditor"
}

/** The methods that wait for an answer. */
export const dialogMethods = ["select", "confirm", "input", "editor"] as const
export type DialogMethod = (typeof dialogMethods)[number]

export interface Ui {
  /** Whether a person can be asked. */
  readonly isPresent: Effect.Effect<boolean>
  /** None when cancelled, timed out, or no person can answer. The answer may be none of the options. */
  readonly select: (question: SelectQuestion) => Effect.Effect<Option.Option<string>>
  /** False when cancelled, timed out, or no person can answer. */
  readonly confirm: (question: ConfirmQuestion) => Effect.Effect<boolean>
  readonly input: (question: InputQuestion) => Effect.Effect<Option.Option<string>>
  readonly editor: (question: EditorQuestion) => Effect.Effect<Option.Option<string>>
  readonly notify: (notification: Notification) => Effect.Effect<void>
  /** Without a text the status is cleared. */
  readonly setStatus: (key: string, text?: string) => Effect.Effect<void>
  readonly setWidget: (widget: Widget) => Effect.Effect<void>
  readonly setTitle: (title: string) => Effect.Effect<void>
  readonly setEditorText: (text: string) => Effect.Effect<void>
}

export class HostUi extends Context.Tag("heddle/services/host/HostUi")<HostUi, Ui>() {}

/** Where a host that can ask its user joins: from then on the questions of the process go to it. */
export class UiSwitch extends Context.Tag("heddle/services/host/UiSwitch")<
  UiSwitch,
  {
    /** Until the scope closes. Of several that have joined, the last one is asked. */
    readonly connect: (ui: Ui) => Effect.Effect<void, never, Scope.Scope>
  }
>() {}
