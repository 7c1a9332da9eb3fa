/**
 * Makes the modules importable. Bun links a module once for the whole process, so the functions in it ask for which session they
 * are called: that of the handler, command or tool that runs, and outside of any the only one that is open.
 */
import * as Effect from "effect/Effect"
import { globalValue } from "effect/GlobalValue"
import type * as Scope from "effect/Scope"
import type { SessionFiles } from "../../../services/session/SessionFiles.ts"
import * as Caller from "../../machine/foreign/Caller.ts"
import * as VirtualModules from "../../machine/foreign/modules/VirtualModules.ts"
import { type Holder, type HostBindings, none } from "./HostBindings.ts"

/** What the modules do for one session. */
export interface Served {
  readonly bindings: HostBindings
  readonly files: typeof SessionFiles.Service
}

const open = globalValue("heddle/layers/pi/modules/Serving", () => new Map<object, Served>())

const ambiguous =
  "Several sessions are open, and this was called for none of them. Call it in a handler, a command or a tool of the extension."

/** What the session has that calls, else what all that are open have in common. Throws into the code of an extension. */
const ofCaller = <A>(part: (share: Served) => A): A | undefined => {
  const session = Caller.current()
  const own = session === undefined ? undefined : open.get(session)
  if (own !== undefined) return part(own)
  const [only, ...others] = new Set([...open.values()].map(part))
  if (others.length > 0) throw new Error(ambiguous)
  return only
}

/** Sessions of one agent differ in their files only. */
export const holder: Holder = { get: () => ofCaller(({ bindings }) => bindings) ?? none.get() }

/** The files of the session for which an extension calls. */
export const files = (): typeof SessionFiles.Service => {
  const found = ofCaller((share) => share.files)
  if (found === undefined) throw new Error("No session is open.")
  return found
}

/** Call it before the first extension is loaded. Loads none of the modules until an extension imports one. */
export const serve: Effect.Effect<void> = Effect.flatMap(
  Effect.promise(() => import("./Importable.ts")),
  ({ modules }) => VirtualModules.serve(modules(holder))
)

/** The modules serve this session, too, until the scope closes. */
export const enter = (session: object, share: Served): Effect.Effect<void, never, Scope.Scope> =>
  Effect.asVoid(
    Effect.acquireRelease(
      Effect.sync(() => open.set(session, share)),
      () => Effect.sync(() => open.delete(session))
    )
  )
