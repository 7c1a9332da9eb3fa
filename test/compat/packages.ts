/** The twelve packages, in the order of their numbers. */
import type { Package } from "./Package.ts"
import { ask } from "./packages/ask.ts"
import { dynamicTools } from "./packages/dynamicTools.ts"
import { inputTransform } from "./packages/inputTransform.ts"
import { memory } from "./packages/memory.ts"
import { permissionGate } from "./packages/permissionGate.ts"
import { pomodoro } from "./packages/pomodoro.ts"
import { processes } from "./packages/processes.ts"
import { protectedPaths } from "./packages/protectedPaths.ts"
import { rpcDemo } from "./packages/rpcDemo.ts"
import { todo } from "./packages/todo.ts"
import { toolOverride } from "./packages/toolOverride.ts"
import { unifiedExec } from "./packages/unifiedExec.ts"

export const packages: ReadonlyArray<Package> = [
  permissionGate,
  protectedPaths,
  rpcDemo,
  inputTransform,
  dynamicTools,
  todo,
  toolOverride,
  ask,
  pomodoro,
  unifiedExec,
  memory,
  processes
]
