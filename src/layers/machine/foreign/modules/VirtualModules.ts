/**
 * Serves modules that exist only in this process. Bun keeps one table of them, so this file keeps one, too: what is served
 * stays served until the process ends.
 */
import * as Effect from "effect/Effect"
import { globalValue } from "effect/GlobalValue"
import { once } from "../../../../domain/Values.ts"

/** Called at the first import of the module, and only once. */
export type MakeModule = () => Readonly<Record<string, unknown>>

const served = globalValue("heddle/layers/machine/foreign/modules/VirtualModules", () => new Set<string>())

/** Serves each specifier that is not served yet, to all files and before any installed package of that name. */
export const serve = (modules: ReadonlyMap<string, MakeModule>): Effect.Effect<void> =>
  Effect.sync(() => {
    const missing = [...modules].filter(([specifier]) => !served.has(specifier))
    if (missing.length === 0) return
    Bun.plugin({
      name: "heddle-modules",
      setup: (build) => {
        for (const [specifier, make] of missing) {
          // A module is made again for `require` after `import`, but both must get the same values.
          const exports = once(make)
          build.module(specifier, () => ({ exports: exports(), loader: "object" }))
          served.add(specifier)
        }
      }
    })
  })
