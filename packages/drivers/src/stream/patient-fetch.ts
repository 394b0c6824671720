type Fetch = typeof fetch;
type Dispatch = (options: object, handler: object) => boolean;

/** As far as it is needed of what Node's `fetch` sends with. */
interface Dispatcher {
  readonly compose?: (around: (dispatch: Dispatch) => Dispatch) => object;
}

/** Where Node keeps it, and where others put their own: one that goes through a proxy, say. */
const dispatcherKey = Symbol.for('undici.globalDispatcher.1');

/**
 * Node's own `fetch` gives up when a server is silent for 300 seconds, and local servers read long prompts for longer.
 * This one gives up after so long a silence, before the answer and in it. Where a `fetch` is not Node's, it is as it is.
 */
export function patientFetch(silenceMs: number): Fetch {
  return (input, init) => {
    const known = (globalThis as { readonly [dispatcherKey]?: Dispatcher })[dispatcherKey];
    const dispatcher = known?.compose?.(
      (dispatch) => (options, handler) =>
        dispatch({ ...options, headersTimeout: silenceMs, bodyTimeout: silenceMs }, handler),
    );
    return fetch(input, { ...init, ...(dispatcher && ({ dispatcher } as object)) });
  };
}
