// Names and keys of tools: few, short, and met at every call.
const mostRemembered = 500;
const longestRemembered = 100;

/** A pure function of short texts that recur, answered from memory where it can be. The memory is bounded. */
export function remembered<Result>(work: (text: string) => Result): (text: string) => Result {
  const known = new Map<string, Result>();
  return (text) => {
    if (text.length > longestRemembered) return work(text);
    const found = known.get(text);
    if (found !== undefined || known.has(text)) return found as Result;
    if (known.size >= mostRemembered) known.clear();
    const result = work(text);
    known.set(text, result);
    return result;
  };
}
