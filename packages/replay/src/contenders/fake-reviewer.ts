const message = /^<message index="(\d+)" role="(\w+)"[^>\n]* tokens="(\d+)">$/gm;
/** Of the tokens up for decision: what is to go. */
const dropShare = 0.5;

/**
 * Stands in for the model that decides, message by message, what of a history is still needed: it drops results and
 * calls, oldest first, until half of the tokens are gone, and keeps what was said.
 */
export function fakeDecisions(prompt: string): string {
  const messages = [...prompt.matchAll(message)].map(([, index, role, tokens]) => ({
    index: Number(index),
    isTool: role === 'tool',
    tokens: Number(tokens),
  }));
  let left = messages.reduce((sum, { tokens }) => sum + tokens, 0) * dropShare;
  const decisions = messages.flatMap(({ index, isTool, tokens }) => {
    if (!isTool || left <= 0) return [];
    left -= tokens;
    return [{ index, action: 'drop' }];
  });
  return JSON.stringify(decisions);
}
