/** A todo list that is empty and cannot be changed. */
import { Effect, Layer } from "effect"
import { Todos, TodosRefused } from "../../../src/services/Todos.ts"

export const make = (isEnabled: boolean): typeof Todos.Service => ({
  isEnabled,
  phases: Effect.succeed([]),
  draft: Effect.succeed([]),
  set: () => new TodosRefused({ message: "unused" })
})

export const layer = (isEnabled: boolean) => Layer.succeed(Todos, make(isEnabled))
