/** Starts the longest files first, so that no worker is left alone with one of them at the end. */
import { BaseSequencer, type TestSpecification } from "vitest/node"

const slow = ["run/Interleaving", "export/browser", "shell/Hostile", "inbox/Queueing", "sessions/crash", "Streams"]

const rank = ({ moduleId }: TestSpecification) => {
  const at = slow.findIndex((name) => moduleId.includes(name))
  return at < 0 ? slow.length : at
}

export default class SlowFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>) {
    const sorted = await super.sort(files)
    return sorted.toSorted((one, other) => rank(one) - rank(other))
  }
}
