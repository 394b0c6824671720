import { chromium } from 'playwright-core';
import { existsSync } from 'node:fs';
import type { Browser } from 'playwright-core';

// Debian's, which `.ci/run` installs; another one can be named. Without what a window needs, tests take three quarters of
// the time.
const installed = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
const { THROUGHLINE_CHROMIUM: executablePath = installed.find((path) => existsSync(path)) } = process.env;

/** Whether there is a browser for the tests of the page; where there is none they say so and are left out. */
export const hasBrowser = executablePath !== undefined && existsSync(executablePath);

/** A browser without a window, that asks nobody outside of this machine for anything. */
export async function openBrowser(): Promise<Browser> {
  return await chromium.launch({
    ...(executablePath !== undefined && { executablePath }),
    args: [
      '--no-sandbox',
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
