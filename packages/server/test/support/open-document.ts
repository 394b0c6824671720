import { JSDOM } from 'jsdom';
import { onTestFinished } from 'vitest';

/** A document for React, for the time of one test. What is rendered into it has to be registered after it. */
export function openDocument(): JSDOM['window']['document'] {
  const { window } = new JSDOM('<main></main>');
  const globals = { window, document: window.document, FormData: window.FormData };
  const before = Object.keys(globals).map(
    (name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const,
  );
  for (const [name, value] of Object.entries(globals))
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  onTestFinished(async () => {
    await settleReact();
    for (const [name, descriptor] of before) {
      if (descriptor) Object.defineProperty(globalThis, name, descriptor);
      else Reflect.deleteProperty(globalThis, name);
    }
  });
  return window.document;
}

/** React cleans up in tasks of its own, which look at the window. */
async function settleReact(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
