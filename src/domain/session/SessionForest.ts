/** The entries of a session as nested nodes, for hosts that draw the tree. */
import * as QueueEntries from "./QueueEntries.ts"
import type { SessionEntry } from "./SessionEntry.ts"
import * as SessionTree from "./SessionTree.ts"

export interface TreeNode<A> {
  readonly entry: A
  readonly children: ReadonlyArray<TreeNode<A>>
  readonly label?: string
  readonly labelTimestamp?: string
}

interface Growing<A> extends TreeNode<A> {
  readonly children: Array<TreeNode<A>>
}

export interface Forest<A> {
  readonly roots: ReadonlyArray<TreeNode<A>>
  readonly depth: number
}

/** Takes entries parents first, and leaves out what is about the queue. An entry whose parent does not come before it becomes a root, which rules out circles. */
export const make = <A>(entries: ReadonlyArray<SessionEntry>, show: (entry: SessionEntry) => A): Forest<A> => {
  const labels = SessionTree.labels(entries)
  const nodes = new Map<string, { readonly node: Growing<A>; readonly level: number }>()
  const roots: Array<TreeNode<A>> = []
  let depth = 0
  for (const entry of QueueEntries.without(entries)) {
    const label = labels.get(entry.id)
    const named = label?.label === undefined ? {} : { label: label.label, labelTimestamp: label.timestamp }
    const node: Growing<A> = { entry: show(entry), children: [], ...named }
    const parent = entry.parentId === null ? undefined : nodes.get(entry.parentId)
    const siblings = parent === undefined ? roots : parent.node.children
    siblings.push(node)
    const level = (parent?.level ?? 0) + 1
    depth = Math.max(depth, level)
    nodes.set(entry.id, { node, level })
  }
  return { roots, depth }
}
