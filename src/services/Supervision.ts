/**
 * What a session is doing, as the tree of the fibers that do it. A node is in the tree exactly as long as its effect
 * runs, under the node of the fiber that runs it; where nobody supervises, the effect just runs.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as FiberRef from "effect/FiberRef"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { RequestId } from "../domain/AgentEvent.ts"

export type NodeKind =
  | "session"
  | "run"
  | "turn"
  | "model_call"
  | "retry_wait"
  | "tool_call"
  | "host_call"
  | "compaction"
  | "bash"
  | "command"

export interface WaitingOn {
  readonly kind: "timer" | "host" | "lane"
  readonly id?: string
  /** Unix milliseconds. */
  readonly until?: number
}

export interface NodeSpec {
  readonly kind: NodeKind
  readonly label: string
  readonly refs?: Readonly<Record<string, string | number>>
  /** Names by which a host may ask for its end, beside the id it gets here. */
  readonly names?: ReadonlyArray<RequestId>
  readonly waitingOn?: WaitingOn
  /** How it is ended; otherwise its fiber is interrupted. */
  readonly end?: Effect.Effect<void>
  /** Told that somebody asked for its end, before it comes. */
  readonly onCancel?: () => void
}

export interface SupervisedProcess {
  readonly pid: number
  readonly isAlive: () => boolean
}

/** What all nodes of a tree share. */
export interface Registry {
  opened: number
  readonly named: Map<RequestId, LiveNode>
  /** Names of nodes that are gone, the newest last: not all of them, or it would grow for ever. */
  readonly ended: Set<RequestId>
}

export interface LiveNode {
  readonly id: string
  readonly spec: NodeSpec
  readonly startedAt: number
  readonly registry: Registry
  readonly parent: LiveNode | undefined
  readonly children: Set<LiveNode>
  readonly processes: Set<SupervisedProcess>
  fiber: Fiber.RuntimeFiber<unknown, unknown> | undefined
  progress: { count: number; lastAt: number } | undefined
  cancelling: boolean
  /** What somebody who asked for its end is told. */
  outcome: CancelOutcome["outcome"]
  /** Opened when the node is gone; made by the first who waits for it. */
  gone: Effect.Latch | undefined
}

export interface CancelOutcome {
  readonly outcome: "cancelled" | "already_done"
  readonly pidsKilled: ReadonlyArray<number>
  readonly ms: number
}

/** Nothing is known by that id; it is nothing that could end; or it was asked to end and has not done so yet. */
export class CancelFailed extends Schema.TaggedError<CancelFailed>()("CancelFailed", {
  reason: Schema.Literal("unknown_target", "not_cancellable", "still_running"),
  message: Schema.String,
  /** Processes that are left. */
  pids: Schema.Array(Schema.Int)
}) {}

/** The tree of one session. */
export interface Supervision {
  readonly root: LiveNode
  /** Ends a node and all below it, and returns when they are gone. */
  readonly cancel: (targetId: RequestId, graceMs: number) => Effect.Effect<CancelOutcome, CancelFailed>
}

const rememberedNames = 2048

/** The node that the fiber at hand works for. A fiber that is joined does not hand its own to whoever joins it. */
const current = FiberRef.unsafeMake<LiveNode | undefined>(undefined, { join: (mine) => mine })

/** The node with nothing above it. */
export const makeRoot = (spec: NodeSpec, startedAt: number): LiveNode =>
  make({ opened: 0, named: new Map(), ended: new Set() }, undefined, spec, startedAt)

const make = (registry: Registry, parent: LiveNode | undefined, spec: NodeSpec, startedAt: number): LiveNode => ({
  id: `fb_${++registry.opened}`,
  spec,
  startedAt,
  registry,
  parent,
  children: new Set(),
  processes: new Set(),
  fiber: undefined,
  progress: undefined,
  cancelling: false,
  outcome: "cancelled",
  gone: undefined
})

export const open = (parent: LiveNode, spec: NodeSpec, now: number): LiveNode => {
  const { registry } = parent
  const node = make(registry, parent, spec, now)
  parent.children.add(node)
  registry.named.set(node.id, node)
  for (const name of spec.names ?? []) registry.named.set(name, node)
  return node
}

export const close = (node: LiveNode): void => {
  const { named } = node.registry
  node.parent?.children.delete(node)
  for (const name of [node.id, ...(node.spec.names ?? [])]) {
    if (named.get(name) !== node) continue
    named.delete(name)
    remember(node.registry, name)
  }
  node.gone?.unsafeOpen()
}

const remember = ({ ended }: Registry, name: RequestId) => {
  ended.delete(name)
  ended.add(name)
  if (ended.size <= rememberedNames) return
  for (const oldest of ended) return void ended.delete(oldest)
}

/** What the effect starts hangs under the node, whoever runs it. */
export const under =
  (node: LiveNode) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.locally(effect, current, node)

/** Runs an effect as a node of its own, in the fiber at hand: whoever starts fibers decides what can be ended alone. */
export const node = <A, E, R>(
  spec: NodeSpec,
  use: (node: LiveNode | undefined) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.flatMap(FiberRef.get(current), (parent) =>
    parent === undefined
      ? use(undefined)
      : Effect.acquireUseRelease(enter(parent, spec), use, (live) =>
          Effect.zipRight(
            Effect.sync(() => close(live)),
            FiberRef.set(current, parent)
          )
        )
  )

const enter = (parent: LiveNode, spec: NodeSpec) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.withFiberRuntime<LiveNode>((fiber) => {
      const live = open(parent, spec, now)
      live.fiber = fiber
      return Effect.as(FiberRef.set(current, live), live)
    })
  )

/** Counts what has come: once for a batch, not for each thing in it. */
export const advance = (node: LiveNode | undefined, count: number): Effect.Effect<void> =>
  node === undefined || count === 0
    ? Effect.void
    : Effect.map(Clock.currentTimeMillis, (lastAt) => {
        node.progress ??= { count: 0, lastAt }
        node.progress.count += count
        node.progress.lastAt = lastAt
      })

/** A process that belongs to the node at hand until the scope closes. */
export const process = (started: SupervisedProcess): Effect.Effect<void, never, Scope.Scope> =>
  Effect.flatMap(FiberRef.get(current), (live) =>
    live === undefined
      ? Effect.void
      : Effect.acquireRelease(
          Effect.sync(() => void live.processes.add(started)),
          () => Effect.sync(() => live.processes.delete(started))
        )
  )
