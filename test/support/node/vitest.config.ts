import { resolve } from "node:path"
import { defineConfig } from "vitest/config"

/** For tests of what works on Node, too: vite reads TypeScript there, and the reporter of the other tests is not loaded. */
export default defineConfig({
  root: resolve(import.meta.dirname, "../../.."),
  test: { include: ["test/**/*.test.ts"], pool: "forks", fileParallelism: false, testTimeout: 15_000 }
})
