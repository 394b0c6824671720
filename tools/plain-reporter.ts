import type { Reporter, SerializedError, TestModule } from 'vitest/node';

/** Ends a run with one line any program can read: `N passed, N failed`, and `, N skipped` when there are some. */
export default class PlainReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const count = { passed: 0, failed: unhandled.length, skipped: 0, pending: 0 };
    for (const module of modules) {
      // A file or suite that breaks outside its tests has no failed test to show for it.
      if (module.errors().length > 0) count.failed += 1;
      for (const suite of module.children.allSuites()) if (suite.errors().length > 0) count.failed += 1;
      for (const test of module.children.allTests()) count[test.result().state] += 1;
    }
    const checks = process.env['THROUGHLINE_FAILED_CHECKS']?.split(', ') ?? [];
    if (checks.length > 0) console.log(`Counted as failed: ${checks.join(', ')} (see above)`);
    const skipped = count.skipped + count.pending;
    const tail = skipped > 0 ? `, ${skipped} skipped` : '';
    console.log(`${count.passed} passed, ${count.failed + checks.length} failed${tail}`);
  }
}
