/**
 * The tree of everything that runs in a session. A node is in the tree exactly as long as its effect runs, below the
 * node of the fiber that runs it. Outside of any tree, the effect runs without a node.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as FiberRef from "effect/FiberRef"
import * as FiberRefs from "effect/FiberRefs"
import type * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import type { RequestId } from "../../domain/conversation/AgentEvent.ts"
import * as Stopwatch from "../Stopwatch.ts"

/** The id is unknown, the node cannot be ended, or it was asked to end and has not done so in time. */
export class CancelFailed extends Schema.TaggedError<CancelFailed>()("CancelFailed", {
  reason: Schema.Literal("unknown_target", "not_cancellable", "still_running"),
  message: Schema.String,
  /** Processes that are left. */
  pids: Schema.Array(Schema.Int)
}) {}

export const NodeKind = Schema.Literal(
  "session",
  "run",
  "turn",
  "model_call",
  "retry_wait",
  "tool_call",
  "host_call",
  "dialog",
  "approval",
  "compaction",
  "bash",
  "subagent",
  "verification",
  "command",
  "hook",
  "startup"
)
export type NodeKind = typeof NodeKind.Type

export interface WaitingOn {
  readonly kind: "timer" | "host" | "dialog" | "approval" | "lane"
  readonly id?: string
  /** Unix milliseconds. */
  readonly until?: number
}

export interface NodeSpec {
  readonly kind: NodeKind
  readonly label: string
  readonly refs?: Readonly<Record<string, string | number>>
  /** Names by which a host may cancel the node, beside its id. */
  readonly names?: ReadonlyArray<RequestId>
  readonly waitingOn?: WaitingOn
  /** Ends the node. Without it, `cancel` interrupts the node's fiber. */
  readonly end?: Effect.Effect<void>
  /** Called when a host cancels the node, before it ends. */
  readonly onCancel?: () => void
}

export interface SupervisedProcess {
  readonly pid: number
  readonly isAlive: () => boolean
}

export interface Registry {
  readonly nextId: () => string
  readonly named: Map<RequestId, LiveNode>
  /** A ring of the names of ended nodes, so that cancelling one of them is no error. */
  readonly ended: Array<RequestId>
  endedAt: number
}

export interface LiveNode {
  readonly id: string
  readonly spec: NodeSpec
  /** As the Stopwatch reads, like all times of nodes. */
  readonly startedAt: number
  registry: Registry
  parent: LiveNode | undefined
  readonly children: Set<LiveNode>
  readonly processes: Set<SupervisedProcess>
  fiber: Fiber.RuntimeFiber<unknown, unknown> | undefined
  progress: { count: number; lastAt: number } | undefined
  cancelling: boolean
  outcome: CancelOutcome["outcome"]
  /** Opened when the node is gone; made by the first `cancel` that waits for it. */
  gone: Effect.Latch | undefined
}

export interface CancelOutcome {
  readonly outcome: "cancelled" | "already_done"
  readonly pidsKilled: ReadonlyArray<number>
  readonly ms: number
}

export interface Supervision {
  readonly root: LiveNode
  /** Ends a node and all below it, and returns when they are gone. */
  readonly cancel: (targetId: RequestId, graceMs: number) => Effect.Effect<CancelOutcome, CancelFailed>
}

const rememberedNames = 2048

/** The node of the current fiber. Joining a fiber does not take over its node. */
const current = FiberRef.unsafeMake<LiveNode | undefined>(undefined, { join: (mine) => mine })

export const makeRoot = (spec: NodeSpec, startedAt: number, nextId: () => string, id = nextId()): LiveNode =>
  make({ nextId, named: new Map(), ended: [], endedAt: 0 }, undefined, spec, startedAt, id)

const make = (
  registry: Registry,
  parent: LiveNode | undefined,
  spec: NodeSpec,
  startedAt: number,
  id: string
): LiveNode => ({
  id,
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
  const node = make(registry, parent, spec, now, registry.nextId())
  parent.children.add(node)
  registry.named.set(node.id, node)
  if (spec.names !== undefined) for (const name of spec.names) registry.named.set(name, node)
  return node
}

/** Hangs the tree of another session below a node, for as long as the node is there. */
export const graft = (node: LiveNode, root: LiveNode): void => {
  root.parent = node
  root.registry = node.registry
  node.children.add(root)
}

export const close = (node: LiveNode): void => {
  node.parent?.children.delete(node)
  forget(node, node.id)
  if (node.spec.names !== undefined) for (const name of node.spec.names) forget(node, name)
  node.gone?.unsafeOpen()
}

const forget = (node: LiveNode, name: RequestId) => {
  const { named } = node.registry
  if (named.get(name) !== node) return
  named.delete(name)
  remember(node.registry, name)
}

/** Notes the name of what has ended, so that cancelling it is no error. */
export const remember = (registry: Registry, name: RequestId): void => {
  registry.ended[registry.endedAt] = name
  registry.endedAt = (registry.endedAt + 1) % rememberedNames
}

/** The node that the current fiber runs as. */
export const currentNode: Effect.Effect<LiveNode | undefined> = FiberRef.get(current)

/** Whether a node is `above` itself, or below it. */
export const isWithin = (node: LiveNode | undefined, above: LiveNode | undefined): boolean => {
  for (let at = node; at !== undefined; at = at.parent) if (at === above) return true
  return false
}

/** Nodes that the effect opens are children of `base`, whichever fiber runs it. */
export const under =
  (base: LiveNode) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.locally(effect, current, base)

/** Options to fork a fiber that runs as the node. Its effect must be wrapped in `enter`. */
export const forkOptions = (node: LiveNode): Runtime.RunForkOptions => ({
  updateRefs: (refs, fiberId) => FiberRefs.updateAs(refs, { fiberId, fiberRef: current, value: node })
})

/** Runs an effect as the node, in a fiber forked with `forkOptions`. */
export const enter = <A, E, R>(node: LiveNode, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiberRuntime<A, E, R>((fiber) => {
    node.fiber = fiber
    return effect
  })

/** Runs an effect as a child node, in the current fiber. A node that is cancelled alone needs its own fiber. */
export const node = <A, E, R>(spec: NodeSpec, use: Use<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiberRuntime((fiber) => {
    const above = fiber.getFiberRef(current)
    return above === undefined ? use(undefined) : within(fiber, above, spec, use)
  })

/** The same; in a fiber outside of any tree, as a child of `root`. */
export const nodeFrom = <A, E, R>(root: LiveNode, spec: NodeSpec, use: Use<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiberRuntime((fiber) => within(fiber, fiber.getFiberRef(current) ?? root, spec, use))

/** The same as a child of `parent`, whichever node the fiber has. */
export const nodeUnder = <A, E, R>(parent: LiveNode, spec: NodeSpec, use: Use<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiberRuntime((fiber) => within(fiber, parent, spec, use))

type Use<A, E, R> = (node: LiveNode | undefined) => Effect.Effect<A, E, R>

const within = <A, E, R>(fiber: Fiber.RuntimeFiber<A, E>, parent: LiveNode, spec: NodeSpec, use: Use<A, E, R>) =>
  Effect.uninterruptibleMask<A, E, R>((restore) => {
    const before = fiber.getFiberRef(current)
    const clock = Context.get(fiber.currentDefaultServices, Clock.Clock)
    const live = open(parent, spec, Stopwatch.read(clock))
    live.fiber = fiber
    const leave = Effect.suspend(() => {
      close(live)
      return FiberRef.set(current, before)
    })
    // The mask and these two handlers are what Effect.acquireUseRelease does, at half of its operations: a turn has
    // three nodes.
    return FiberRef.set(current, live).pipe(
      Effect.zipRight(Effect.suspend(() => restore(use(live)))),
      Effect.matchCauseEffect({
        onFailure: (cause) => Effect.zipRight(leave, Effect.failCause(cause)),
        onSuccess: (value) => Effect.as(leave, value)
      })
    )
  })

/** Adds to the progress of the node. Called once per batch. */
export const advance = (node: LiveNode | undefined, count: number, now: number): void => {
  if (node === undefined || count === 0) return
  node.progress ??= { count: 0, lastAt: now }
  node.progress.count += count
  node.progress.lastAt = now
}

/** Attaches a process to the current node, until the returned function is called. */
export const hold = (started: SupervisedProcess): Effect.Effect<() => void> =>
  Effect.map(FiberRef.get(current), (node) => {
    const processes = node?.processes
    processes?.add(started)
    return () => void processes?.delete(started)
  })
