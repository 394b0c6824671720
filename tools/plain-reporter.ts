import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node';

/** A check that ran beside the tests. */
interface Check {
  readonly name: string;
  /** What it has printed. */
  readonly output: string;
  readonly isFailed: boolean;
}

/** Whoever started the tests tells of the checks once they are over; of none where it is gone. */
function checksBeside(): Promise<readonly Check[]> {
  if (process.env['THROUGHLINE_CHECKS_BESIDE'] !== '1' || !process.connected) return Promise.resolve([]);
  const { promise, resolve } = Promise.withResolvers<readonly Check[]>();
  process.once('message', (message) => resolve((message as { readonly checks: readonly Check[] }).checks));
  process.once('disconnect', () => resolve([]));
  // The channel alone keeps nobody here.
  process.channel?.unref();
  return promise;
}

/** Ends a run with one line any program can read: `N passed, N failed`, and `, N skipped` when there are some. */
export default class PlainReporter implements Reporter {
  private readonly beside = checksBeside();

  async onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): Promise<void> {
    const count = { passed: 0, failed: unhandled.length, skipped: 0, pending: 0 };
    const unsteady: TestCase[] = [];
    for (const module of modules) {
      // A file or suite that breaks outside its tests has no failed test to show for it.
      if (module.errors().length > 0) count.failed += 1;
      for (const suite of module.children.allSuites()) if (suite.errors().length > 0) count.failed += 1;
      for (const test of module.children.allTests()) {
        count[test.result().state] += 1;
        if (test.diagnostic()?.flaky === true) unsteady.push(test);
      }
    }
    for (const test of unsteady) console.log(`Passed at the second try: ${told(test)}`);
    const checks = process.env['THROUGHLINE_FAILED_CHECKS']?.split(', ') ?? [];
    process.channel?.ref();
    const beside = await this.beside;
    process.channel?.unref();
    for (const { name, output, isFailed } of beside) {
      console.log(isFailed ? `\n${name} failed:\n${output.trimEnd()}` : `${name}: no faults`);
      if (isFailed) checks.push(name);
    }
    if (beside.length > 0) process.send?.('told');
    if (checks.length > 0) console.log(`Counted as failed: ${checks.join(', ')} (see above)`);
    const skipped = count.skipped + count.pending;
    const tail = skipped > 0 ? `, ${skipped} skipped` : '';
    console.log(`${count.passed} passed, ${count.failed + checks.length} failed${tail}`);
  }
}

/** Which test it is, and what was wrong at first. */
function told(test: TestCase): string {
  const [error] = test.result().errors ?? [];
  const said = error ? ` (${error.message.split('\n')[0] ?? ''})` : '';
  return `${test.module.relativeModuleId} > ${test.fullName}${said}`;
}
