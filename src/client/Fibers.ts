/** Looks for parts of what `get_fibers` answers, which is a tree. The `id` of a part is a target of `cancel`. */
import type { FiberNode, GetFibersData } from "./generated/Protocol.ts"

/** The whole answer, or one part with all that runs below it. */
export type FiberTree = Pick<GetFibersData, "fibers"> | FiberNode

/** Every part of the tree, each before those below it. */
export const walk = function* (tree: FiberTree): Generator<FiberNode, void> {
  if (!("fibers" in tree)) yield tree
  for (const part of "fibers" in tree ? tree.fibers : tree.children) yield* walk(part)
}

/** The first part that fits, such as `({ kind }) => kind === "tool_call"`. */
export const find = (tree: FiberTree, fits: (part: FiberNode) => boolean): FiberNode | undefined => {
  for (const part of walk(tree)) if (fits(part)) return part
  return undefined
}
