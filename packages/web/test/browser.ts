import { chromium } from 'playwright-core';
import { describe } from 'vitest';
import { existsSync } from 'node:fs';
import { isDeepRun } from '@throughline/testkit';
import type { Browser } from 'playwright-core';

// Debian's, which `.ci/run` installs; another one can be named. Without what a window needs, tests take three quarters of
// the time.
const installed = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
const { THROUGHLINE_CHROMIUM: executablePath = installed.find((path) => existsSync(path)) } = process.env;

/** Whether there is a browser for the tests of the page; where there is none they say so and are left out. */
export const hasBrowser = executablePath !== undefined && existsSync(executablePath);

/**
 * Tests of a real page. The page, its server and other tests share two processors: what fails is tried once more, and
 * a run names at its end what passed at the second try alone. `npm run test:deep` tries everything once.
 */
export function describeInBrowser(name: string, tests: () => void): void {
  describe.skipIf(!hasBrowser)(name, { retry: isDeepRun ? 0 : 1 }, tests);
}

/** A browser without a window, that asks nobody outside of this machine for anything. */
export async function openBrowser(): Promise<Browser> {
  return await chromium.launch({
    ...(executablePath !== undefined && { executablePath }),
    args: [
      '--no-sandbox',
      // A page lives for seconds here: what the optimising compilers cost (a tenth) never comes back.
      '--js-flags=--no-opt --no-maglev',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--disable-dev-shm-usage',
    ],
  });
}
