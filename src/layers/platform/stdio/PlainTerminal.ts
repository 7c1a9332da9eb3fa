/**
 * What the command-line parser asks of a platform, and no more. The full terminal and file system layers open stdin
 * and stdout when they are built, which costs every start and gets in the way of frames.
 */
import { writeSync } from "node:fs"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Terminal from "@effect/platform/Terminal"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Text from "../../../domain/Text.ts"

const terminal = Terminal.Terminal.of({
  columns: Effect.succeed(120),
  rows: Effect.succeed(24),
  isTTY: Effect.succeed(false),
  // Nothing here asks questions; a question would fail as if the person had left.
  readInput: Effect.dieMessage("no interactive input"),
  readLine: Effect.fail(new Terminal.QuitException()),
  display: (text) => Effect.sync(() => void writeSync(1, Text.printable(text)))
})

export const layer = Layer.mergeAll(Layer.succeed(Terminal.Terminal, terminal), FileSystem.layerNoop({}), Path.layer)
