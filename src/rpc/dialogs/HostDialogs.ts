/** The user interface of a host on the wire: the questions that it has not answered. Owned by the server of the connection. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import * as Dialog from "../../services/host/Dialog.ts"
import type { ConfirmQuestion, DialogMethod, Question, SelectQuestion, Ui } from "../../services/host/HostUi.ts"
import type { Ids } from "../../services/Ids.ts"
import type * as Supervision from "../../services/supervision/Supervision.ts"
import type { Connection } from "../connection/Connection.ts"
import * as Decoder from "../decoding/Decoder.ts"
import type { Outbox } from "../outbox/Outbox.ts"
import type { Preferences } from "../connection/Preferences.ts"
import * as DialogFrames from "./DialogFrames.ts"
import { Reply } from "./DialogSchemas.ts"

export interface HostDialogs {
  readonly ui: Ui
  /** True for every reply, also to a question that is over: the caller has nothing left to do with it. */
  readonly receive: (type: string, frame: unknown) => boolean
  /** The host has answered with a frame that cannot be taken: the question counts as cancelled. */
  readonly refuse: (type: string | undefined, frame: unknown) => void
  /** The host is gone: open questions, and all later ones, get their defaults, and no frame is sent. */
  readonly disconnect: () => void
  /** The process ends: the same, and frames say which questions are withdrawn. */
  readonly withdraw: () => void
}

export interface Parts {
  readonly ids: typeof Ids.Service
  readonly connection: Pick<Connection, "preferences">
  readonly outbox: Pick<Outbox, "offer" | "ready" | "record">
  /** The root of the current session's supervision tree. */
  readonly root: Effect.Effect<Supervision.LiveNode>
  /** Whether the host wants the title of its window. */
  readonly emitTitle: boolean
}

/** Questions that may be open at once. */
const mostOpen = 256
/** Keys whose last state is remembered. */
const mostStates = 256

const decodeReply = Decoder.make(Reply)
/** Of a frame that cannot be taken, more than that is not looked at. */
const decodeId = Decoder.make(Reply.pipe(Schema.pick("id")))

const cancelled: DialogFrames.Answer = { cancelled: true }

/** A question that waits for its answer: how the host is asked, and what its reply means. */
interface Spec<Q extends Question, A> {
  readonly method: DialogMethod
  readonly fallback: A
  readonly frame: (question: Q) => DialogFrames.Request
  readonly read: (reply: DialogFrames.Answer, question: Q) => A
}

/** Notices to the host, without an answer. */
const makeNotices = ({ emitTitle }: Parts, tell: (request: DialogFrames.Request) => Effect.Effect<void>) => {
  const states = new Map<string, string | undefined>()
  /** Extensions repeat a state with every step, and the host shows it until another one comes. */
  const isRepeated = (key: string, text: string | undefined) => {
    if (states.has(key) && states.get(key) === text) return true
    states.delete(key)
    if (states.size >= mostStates) states.clear()
    states.set(key, text)
    return false
  }
  const notices: Pick<Ui, "notify" | "setStatus" | "setWidget" | "setTitle" | "setEditorText"> = {
    notify: (notification) => tell(DialogFrames.notify(notification)),
    setStatus: (key, text) =>
      Effect.suspend(() => {
        const request = DialogFrames.setStatus(key, text)
        return isRepeated(request.statusKey, request.statusText) ? Effect.void : tell(request)
      }),
    setWidget: (widget) => tell(DialogFrames.setWidget(widget)),
    setTitle: (title) => (emitTitle ? tell(DialogFrames.setTitle(title)) : Effect.void),
    setEditorText: (text) => tell(DialogFrames.setEditorText(text))
  }
  return notices
}

/** The frames to the host, and those that it has to answer. */
const makeExchange = ({ ids, outbox }: Parts) => {
  const pending = new Map<string, Deferred.Deferred<DialogFrames.Answer>>()
  let connected = true

  const send = (request: DialogFrames.Request, id = ids.next("dialog")) =>
    outbox.record({ type: "extension_ui_request", id, ...request })

  /** Notifies the host once that a question is over, and only if it would otherwise go on asking. */
  const end = (id: string, exit: Exit.Exit<unknown>) => {
    const isOpen = pending.delete(id)
    if (Exit.isInterrupted(exit) && isOpen && connected) send(DialogFrames.cancel(id))
  }

  const settle = (id: string, reply: DialogFrames.Answer) => {
    const waiting = pending.get(id)
    pending.delete(id)
    if (waiting !== undefined) Deferred.unsafeDone(waiting, Exit.succeed(reply))
  }

  return {
    isConnected: () => connected,
    isFull: () => pending.size >= mostOpen,
    settle,
    tell: (request: DialogFrames.Request) =>
      Effect.suspend(() => {
        if (!connected) return Effect.void
        // Before the wait: another one that comes later could overtake it.
        send(request)
        return outbox.ready
      }),
    ask: (id: string, request: DialogFrames.Request) =>
      Effect.acquireUseRelease(
        Effect.tap(Deferred.make<DialogFrames.Answer>(), (reply) => {
          pending.set(id, reply)
          send(request, id)
        }),
        (reply) => Deferred.await(reply),
        (_, exit) => Effect.sync(() => end(id, exit))
      ),
    disconnect: () => {
      connected = false
      for (const id of pending.keys()) settle(id, cancelled)
    },
    withdraw: () => {
      for (const id of pending.keys()) {
        send(DialogFrames.cancel(id))
        settle(id, cancelled)
      }
      connected = false
    }
  }
}

type Exchange = ReturnType<typeof makeExchange>

/** What is asked of the host, which answers or does not. */
const makeQuestions = ({ connection, ids, outbox, root }: Parts, exchange: Exchange) => {
  const complaints = new Set<string>()
  const complainOnce = (about: string, message: string) => {
    if (complaints.has(about)) return
    complaints.add(about)
    outbox.offer({ _tag: "Notice", level: "warning", message, source: "ui" })
  }

  const canAsk = (method: DialogMethod, { ui }: Preferences): boolean => {
    if (!exchange.isConnected()) return false
    if (ui?.has(method) === false) {
      complainOnce(method, `The host cannot answer ${method} questions. They get their default answers.`)
      return false
    }
    if (!exchange.isFull()) return true
    complainOnce("open", `More than ${mostOpen} questions are open. Further ones get their default answers.`)
    return false
  }

  const dialog =
    <Q extends Question, A>({ fallback, frame, method, read }: Spec<Q, A>) =>
    (question: Q): Effect.Effect<A> =>
      Effect.zipWith(root, Ref.get(connection.preferences), (node, preferences) => {
        if (!canAsk(method, preferences)) return Effect.succeed(fallback)
        const id = ids.next("dialog")
        const answer = Effect.flatMap(exchange.ask(id, frame(question)), (reply) => {
          const late = reply.timedOut === true ? question.onTimeout : undefined
          return Effect.as(late ?? Effect.void, read(reply, question))
        })
        return Dialog.open({ id, question, fallback, root: node }, answer)
      }).pipe(Effect.flatten)

  const selectFrame = (question: SelectQuestion) => {
    if (question.options.length > DialogFrames.mostOptions)
      complainOnce("options", `Only the first ${DialogFrames.mostOptions} options of a question are shown.`)
    return DialogFrames.select(question)
  }
  const selected = (reply: DialogFrames.Answer, question: SelectQuestion) =>
    Option.map(DialogFrames.textOf(reply), (value) => DialogFrames.optionAsAsked(question, value))

  const confirmed = dialog({
    method: "confirm",
    fallback: Option.none<boolean>(),
    frame: (question: ConfirmQuestion) => DialogFrames.confirm(question),
    read: DialogFrames.confirmedOf
  })

  const textual = { fallback: Option.none<string>(), read: DialogFrames.textOf }
  const questions: Pick<Ui, DialogMethod> = {
    select: dialog({ ...textual, method: "select", frame: selectFrame, read: selected }),
    confirm: (question) =>
      Effect.flatMap(
        confirmed(question),
        Option.match({
          onNone: () => Effect.as(question.onUnanswered ?? Effect.void, false),
          onSome: Effect.succeed
        })
      ),
    input: dialog({ ...textual, method: "input", frame: DialogFrames.input }),
    editor: dialog({ ...textual, method: "editor", frame: DialogFrames.editor })
  }
  return questions
}

export const make = (parts: Parts): HostDialogs => {
  const exchange = makeExchange(parts)
  const { disconnect, isConnected, settle, tell, withdraw } = exchange
  return {
    ui: {
      isPresent: Effect.map(Ref.get(parts.connection.preferences), ({ ui }) => isConnected() && ui?.size !== 0),
      ...makeQuestions(parts, exchange),
      ...makeNotices(parts, tell)
    },
    receive: (type, frame) => {
      if (type !== "extension_ui_response") return false
      const reply = decodeReply(frame)
      if (Either.isRight(reply)) settle(reply.right.id, reply.right)
      return true
    },
    refuse: (type, frame) => {
      if (type !== "extension_ui_response") return
      const about = decodeId(frame)
      if (Either.isRight(about)) settle(about.right.id, cancelled)
    },
    disconnect,
    withdraw
  }
}
