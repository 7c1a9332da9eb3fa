import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import SlowFirst from "./test/support/SlowFirst.ts"

// One more than there are cores: much of the time a test waits for a process or a browser.
const workers = Math.min(availableParallelism() + 1, 4)

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Processes, so that a test may signal or close its own. Loading Effect anew for each file takes half a second,
    // and no module here keeps state: the files of a worker share their modules.
    pool: "forks",
    isolate: false,
    minWorkers: workers,
    maxWorkers: workers,
    sequence: { sequencer: SlowFirst },
    testTimeout: 15_000,
    hookTimeout: 15_000,
    reporters: ["default", "./test/support/ClosingLine.ts"]
  }
})
