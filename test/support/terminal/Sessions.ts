/** Tests of sessions on a terminal. */
import { join } from "node:path"
import { assert, expect } from "@effect/vitest"
import { Effect } from "effect"
import { root } from "../host/HostProcess.ts"
import { open, type TerminalHost, type TerminalOptions } from "./TerminalHost.ts"

/** The screen is compared with a file. `vitest -u` writes it anew; look at what changed. */
export const golden = (name: string, host: TerminalHost) =>
  expect(`${host.golden()}\n`).toMatchFileSnapshot(join(root, `test/e2e/terminal/screens/${name}.txt`))

export interface SessionOptions extends TerminalOptions {
  /** What is on the screen before the test begins; by default a status line with an offline model. */
  readonly ready?: RegExp
}

/** Runs a test on a terminal whose prompt is shown and whose status is known. */
export const on = (
  { ready = /offline\/\w+ ·/, ...options }: SessionOptions,
  body: (host: TerminalHost) => Promise<void>
) =>
  Effect.scoped(
    Effect.flatMap(open(options), (host) =>
      Effect.promise(async () => {
        await host.until(ready)
        await body(host)
        assert.deepStrictEqual(host.virtual.unknown, [])
      })
    )
  )

/** Rows are broken, the cursor is visible, and the system echoes and edits lines as before. */
export const assertSane = (host: TerminalHost) => {
  assert.deepStrictEqual([...host.virtual.modes], ["?7", "?25"])
  for (const mode of ["icanon", "echo", "isig", "icrnl", "opost"])
    assert.match(host.modes(), new RegExp(`(?<!-)\\b${mode}\\b`))
}
