/**
 * Makes the modules importable and binds them to an agent. Bun links a module once for the whole process, so the process
 * has one holder, and the agent that was bound last serves all calls.
 */
import * as Effect from "effect/Effect"
import { globalValue } from "effect/GlobalValue"
import * as VirtualModules from "../../platform/modules/VirtualModules.ts"
import { type HostBindings, makeHolder } from "./HostBindings.ts"

const holder = globalValue("heddle/layers/extensions/modules/Serving", makeHolder)

/** Call it before the first extension is loaded. Loads none of the modules until an extension imports one. */
export const serve = (bindings: HostBindings): Effect.Effect<void> =>
  Effect.flatMap(
    Effect.promise(() => import("./Importable.ts")),
    ({ modules }) => {
      holder.bind(bindings)
      return VirtualModules.serve(modules(holder))
    }
  )
