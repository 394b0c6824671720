import { clsx } from 'clsx';
import { formatTokens } from '../../parts/format.ts';
import { Link } from 'wouter';
import { Pre } from '../../parts/text/pre.tsx';
import type { ClientCompaction } from '../../inspect/client-compactions.ts';
import type { Inspected } from '../../inspect/inspected.ts';

interface ClientCompactionListProps {
  readonly compactions: readonly ClientCompaction[];
  readonly chosen: ClientCompaction | undefined;
  readonly onChoose: (compaction: ClientCompaction) => void;
}

/** What clients and providers have compacted by themselves, marked apart from what the engine did. */
export function ClientCompactionList({ compactions, chosen, onChoose }: ClientCompactionListProps) {
  if (compactions.length === 0) return null;
  return (
    <ul aria-label="Compactions of the client">
      {compactions.map((one) => (
        <li
          key={one.ordinal}
          className={clsx(
            'mb-1 rounded-r-md border-l-4 border-l-warn p-1 text-sm',
            one === chosen && 'bg-accent-soft',
          )}
        >
          <button
            type="button"
            aria-pressed={one === chosen}
            onClick={() => onChoose(one)}
            className="w-full rounded text-start"
          >
            <span className="block font-medium">By {one.by} itself</span>
            <span className="block text-xs text-ink-soft">
              m{one.ordinal}, {formatTokens(one.tokens, true)}: stands for what was said before
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}

interface ClientCompactionViewProps {
  readonly inspected: Inspected;
  readonly compaction: ClientCompaction;
}

export function ClientCompactionView({ inspected, compaction }: ClientCompactionViewProps) {
  const { by, ordinal, text } = compaction;
  return (
    <section aria-label="Compaction of the client" className="flex flex-col gap-2 text-sm">
      <h2 className="font-semibold">Compacted by {by} itself, not by Throughline</h2>
      <p className="text-ink-soft">
        m{ordinal} stands for what was said before. {whereabouts[inspected.source]}
      </p>
      <BeforeLink before={inspected.before} />
      {text === '' ? <p>Only the provider can read what it wrote.</p> : <Pre label="Summary" text={text} />}
    </section>
  );
}

const whereabouts: Readonly<Record<Inspected['source'], string>> = {
  session: 'What it took is not in this history.',
  conversation: 'What it took is in the conversation before this one, as long as the proxy keeps that.',
  file: 'What it took is not in this history; where the file holds it, it is another conversation of the file.',
};

function BeforeLink({ before }: Pick<Inspected, 'before'>) {
  if (before === undefined || before === null) return null;
  return (
    <p>
      <Link href={conversationPath(before)} className="text-accent underline">
        Open the conversation before it
      </Link>
    </p>
  );
}

/** From a conversation of a client to those that it comes from and that come from it. */
export function RelatedConversations({ before, after = [] }: Pick<Inspected, 'before' | 'after'>) {
  if (!before && after.length === 0) return null;
  return (
    <p className="flex flex-wrap gap-x-4 border-b border-line px-4 py-1 text-xs text-ink-soft">
      {before && (
        <span>
          It goes on from{' '}
          <Link href={conversationPath(before)} className="text-accent underline">
            an earlier conversation
          </Link>
          .
        </span>
      )}
      {after.map((id, at) => (
        <span key={id}>
          Its client went on in{' '}
          <Link href={conversationPath(id)} className="text-accent underline">
            {after.length === 1 ? 'another conversation' : `conversation ${at + 1} of ${after.length}`}
          </Link>
          .
        </span>
      ))}
    </p>
  );
}

const conversationPath = (id: string): string => `/proxy/conversations/${encodeURIComponent(id)}/inspector`;
