/** The HostUi of a process: the host that connected last answers; without one, questions get their defaults. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Approvers, make as makeApprovers } from "../../services/host/Approvers.ts"
import { HostUi, type Ui, UiSwitch } from "../../services/host/HostUi.ts"
import * as HeadlessUi from "./HeadlessUi.ts"

export const make = () => {
  const headless = HeadlessUi.make()
  const connected: Array<Ui> = []
  const ask = <A>(use: (ui: Ui) => Effect.Effect<A>) => Effect.suspend(() => use(connected.at(-1) ?? headless))
  const ui: Ui = {
    isPresent: ask((host) => host.isPresent),
    select: (question) => ask((host) => host.select(question)),
    confirm: (question) => ask((host) => host.confirm(question)),
    input: (question) => ask((host) => host.input(question)),
    editor: (question) => ask((host) => host.editor(question)),
    notify: (notification) => ask((host) => host.notify(notification)),
    setStatus: (key, text) => ask((host) => host.setStatus(key, text)),
    setWidget: (widget) => ask((host) => host.setWidget(widget)),
    setTitle: (title) => ask((host) => host.setTitle(title)),
    setEditorText: (text) => ask((host) => host.setEditorText(text))
  }
  const connect = (host: Ui) =>
    Effect.acquireRelease(
      Effect.sync(() => void connected.push(host)),
      () => Effect.sync(() => void connected.splice(connected.lastIndexOf(host), 1))
    )
  return { ui, connect }
}

/** These, and who is asked about effects, for a graph in which a server may run. */
export const services = () => {
  const { connect, ui } = make()
  return Context.make(HostUi, ui).pipe(Context.add(UiSwitch, { connect }), Context.add(Approvers, makeApprovers()))
}

export const layer = Layer.syncContext(services)
