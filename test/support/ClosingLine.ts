/** Ends a test run with one line of plain counts, for tools that do not want to read the report above it. */
import type { Reporter, TestModule } from "vitest/node"

export default class ClosingLine implements Reporter {
  private readonly count = { passed: 0, failed: 0, skipped: 0, pending: 0 }

  onTestRunEnd(modules: ReadonlyArray<TestModule>, errors: ReadonlyArray<unknown>) {
    this.count.failed += errors.length
    for (const module of modules) {
      for (const test of module.children.allTests()) this.count[test.result().state] += 1
      // A file that breaks outside its tests (at import, in a hook) fails without any test saying so.
      this.count.failed += module.errors().length
      for (const suite of module.children.allSuites()) this.count.failed += suite.errors().length
    }
  }

  /** Comes after `onTestRunEnd`, when the default reporter has printed its summary. */
  onFinished() {
    const { failed, passed, pending, skipped } = this.count
    console.log(`${passed} passed, ${failed + pending} failed, ${skipped} skipped`)
  }
}
