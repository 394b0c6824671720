/** What the tests use of it: it brings no types. */
declare module 'jsdom' {
  export class JSDOM {
    constructor(html: string);
    readonly window: { readonly document: { querySelector(selectors: string): object | null } };
  }
}
