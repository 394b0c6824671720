export interface Overflow {
  /** The window, where the message names it. */
  readonly limitTokens?: number;
}

/** Not overflow, whatever else the text says: rate limits and a bad `max_tokens`. Read first. */
const vetoes: readonly RegExp[] = [
  /rate.?limit|too many requests|per minute|\btpm\b|throttl|service unavailable/i,
  /max_(completion_)?tokens is too large/i,
];

/** Real messages of servers and gateways; the group named `limit` is the window. */
const overflows: readonly RegExp[] = [
  /maximum context length (?:is|of) (?<limit>\d+)/i,
  /context_length_exceeded|exceeds the context window/i,
  /prompt is too long: \d+ tokens > (?<limit>\d+)/i,
  /exceeds the available context size \((?<limit>\d+)/i,
  /exceed_context_size|exceeds the available context size/i,
  /greater than the context length \(n_keep: \d+\s*>=\s*n_ctx: (?<limit>\d+)/i,
  /context length is only (?<limit>\d+)/i,
  /longer than the model'?s context length \((?<limit>\d+)/i,
  /maximum prompt length is (?<limit>\d+)/i,
  /input token count \(\d+\) exceeds the maximum number of tokens allowed \((?<limit>\d+)/i,
  /exceeds? the (?:configured )?limit of (?<limit>\d+)/i,
  /too large for model with (?<limit>\d+) maximum context length/i,
  /exceeded model token limit: (?<limit>\d+)/i,
  /range of input length should be \[1, (?<limit>\d+)\]/i,
  /must be <= (?<limit>\d+)\. given/i,
  /prompt (?:is )?too long|input is too long|context window exceeds limit|longer than the context length/i,
  /reduce the length of the messages/i,
  /contextwindowexceeded|context size has been exceeded|prompt exceeds maximum context length/i,
];

/** What an error of a server says about its window; `undefined` when it is not an overflow. */
export function readOverflow(status: number | undefined, message: string): Overflow | undefined {
  if (status === 429 || vetoes.some((veto) => veto.test(message))) return undefined;
  for (const pattern of overflows) {
    const match = pattern.exec(message);
    if (!match) continue;
    const limit = Number(match.groups?.['limit']);
    return limit > 0 ? { limitTokens: limit } : {};
  }
  return status === 413 ? {} : undefined;
}
