import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import SlowFirst from "./test/support/agent/SlowFirst.ts"

// Not more than there are cores: tests of processes and of time limits must not wait for each other.
const workers = Math.min(Math.max(availableParallelism(), 2), 4)

// Workers inherit it. The second of the optimizing compilers takes a tenth of the time of all tests, and no test runs
// long enough to be paid back.
process.env["BUN_JSC_useFTLJIT"] = "0"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Processes, so that a test may signal or close its own. Loading Effect anew for each file takes half a second,
    // and no module here keeps state: the files of a worker share their modules.
    pool: "forks",
    isolate: false,
    // Bun reads TypeScript itself, several times as fast as vite does; only the test files need vite.
    server: { deps: { external: [/\/src\/.*\.ts$/, /\/test\/support\/.*\.ts$/] } },
    setupFiles: ["./test/support/engine.ts"],
    minWorkers: workers,
    maxWorkers: workers,
    sequence: { sequencer: SlowFirst },
    testTimeout: 15_000,
    hookTimeout: 15_000,
    reporters: ["default", "./test/support/ClosingLine.ts"]
  }
})
