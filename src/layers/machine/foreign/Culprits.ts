/**
 * Guards the process against extensions: uncaught errors, and attempts to end it. In force while there is at
 * least one extension. Errors are put down to the extension whose files their stack names.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { defined } from "../../../domain/Values.ts"
import { StaleError } from "./Bridge.ts"
import { ExitFence, fenceExit } from "./ExitFence.ts"
import { folderOf } from "./Modules.ts"
import * as Flood from "./Flood.ts"
import { isOf, locationIn, stackOf, textOf } from "./ForeignValue.ts"

export interface Guarded {
  /** The entry file. */
  readonly path: string
  readonly report: (problem: {
    readonly name: string
    readonly event: string
    readonly message: string
    readonly location?: string
  }) => void
}

/** In the place of a path, where there are several and the error does not say from which it came. */
const unknown = "extensions"

const guarded = new Set<Guarded>()

/** The extension whose entry file the stack names, else the one whose folder it names most closely. */
const culpritOf = (stack: string): Guarded | undefined => {
  let found: Guarded | undefined
  for (const member of guarded) {
    if (stack.includes(member.path)) return member
    const folder = folderOf(member.path)
    if (stack.includes(folder) && folder.length > (found === undefined ? 0 : folderOf(found.path).length))
      found = member
  }
  return found
}

const publish = (stack: string, event: string, message: string) => {
  const [first] = guarded
  // The engine leaves out the frame of a function that ends with the call.
  const culprit = culpritOf(stack) ?? (guarded.size === 1 ? first : undefined)
  const { report } = culprit ?? first ?? { report: () => {} }
  const location = culprit === undefined ? undefined : locationIn(stack, folderOf(culprit.path))
  const name = culprit?.path ?? unknown
  report({ name, event, message, ...defined({ location }) })
}

/** What uses an object of a session that has ended is late, not wrong; an attempt to exit has been reported. */
const isKnown = (thrown: unknown) => isOf(thrown, StaleError) || isOf(thrown, ExitFence)

let takeDown: (() => void) | undefined

const putUp = (): (() => void) => {
  const flood = Flood.make((count) => publish("", "async", Flood.leftOut(count)))
  // To read a stack takes longer than to throw.
  const onUncaught = (thrown: unknown) => {
    if (!isKnown(thrown) && flood.admits()) publish(stackOf(thrown), "async", textOf(thrown))
  }
  const lift = fenceExit((stack, message) => publish(stack, "exit", message))
  process.on("uncaughtException", onUncaught)
  process.on("unhandledRejection", onUncaught)
  return () => {
    lift()
    process.off("uncaughtException", onUncaught)
    process.off("unhandledRejection", onUncaught)
  }
}

/** Guards the process against this extension until the scope closes. */
export const guard = (member: Guarded): Effect.Effect<void, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      guarded.add(member)
      takeDown ??= putUp()
    }),
    () =>
      Effect.sync(() => {
        guarded.delete(member)
        if (guarded.size > 0) return
        takeDown?.()
        takeDown = undefined
      })
  )
