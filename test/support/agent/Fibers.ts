/** The supervision tree in short: `run > turn > tool_call`, one line for each node, in order. */
import type { LiveNode } from "../../../src/services/supervision/Supervision.ts"

export const paths = (node: LiveNode, above = ""): ReadonlyArray<string> => {
  const path = above === "" ? node.spec.kind : `${above} > ${node.spec.kind}`
  return [path, ...[...node.children].flatMap((child) => paths(child, path))]
}

/** The only node of the kind. */
export const find = (node: LiveNode, kind: LiveNode["spec"]["kind"]): LiveNode | undefined =>
  node.spec.kind === kind ? node : [...node.children].map((child) => find(child, kind)).find((found) => found)
