import type { AgentEvent, AgentSession, RunOutcome } from '@throughline/agent';
import type { StoredMessage } from '@throughline/ports';

/** Remembers how runs end, from before one was begun: it may be over before its id is known. */
export function watchRunEnds(session: AgentSession): Disposable & {
  /** Resolves when this run has ended. */
  readonly ended: (runId: string) => Promise<RunOutcome>;
} {
  const outcomes = new Map<string, RunOutcome>();
  const waiting = new Map<string, (outcome: RunOutcome) => void>();
  const subscription = session.subscribe((event: AgentEvent) => {
    if (event.type !== 'run:end') return;
    const { runId, outcome } = event.data;
    outcomes.set(runId, outcome);
    waiting.get(runId)?.(outcome);
  });
  return {
    ended: (runId) =>
      new Promise((resolve) => {
        const outcome = outcomes.get(runId);
        if (outcome) resolve(outcome);
        else waiting.set(runId, resolve);
      }),
    [Symbol.dispose]: () => subscription[Symbol.dispose](),
  };
}

/** What the model said to a message: all of it up to the next message of the user. */
export async function replyTo(messageId: string, session: AgentSession): Promise<string> {
  const behind: StoredMessage[] = [];
  let cursor: string | undefined;
  do {
    const page = await session.history(cursor === undefined ? {} : { cursor });
    const at = page.items.findLastIndex(
      ({ message }) => message.id === messageId || isPartOf(messageId, message),
    );
    behind.unshift(...page.items.slice(at + 1));
    if (at >= 0) return textOf(behind);
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  return '';
}

/** Several messages that waited became one. */
function isPartOf(messageId: string, { meta }: StoredMessage['message']): boolean {
  const originals = meta?.['originalMessages'];
  return (
    Array.isArray(originals) &&
    originals.some(
      (one: unknown) => typeof one === 'object' && one !== null && 'id' in one && one.id === messageId,
    )
  );
}

function textOf(messages: readonly StoredMessage[]): string {
  const next = messages.findIndex(
    ({ message }) => message.role === 'user' && message.meta?.kind === undefined,
  );
  const own = next === -1 ? messages : messages.slice(0, next);
  return own
    .filter(({ message }) => message.role === 'assistant')
    .flatMap(({ message }) => message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])))
    .join('\n\n');
}
