/** What the tests use of it: it brings no types. */
declare module 'jsdom' {
  export interface TestElement {
    readonly textContent: string | null;
    value: string;
    click(): void;
  }

  export class JSDOM {
    constructor(html: string);
    readonly window: {
      readonly FormData: unknown;
      readonly document: {
        querySelector(selectors: string): TestElement | null;
        querySelectorAll(selectors: string): Iterable<TestElement>;
      };
    };
  }
}
