import { ArrivingWindow } from '../../parts/popups/arriving.tsx';
import { clsx } from 'clsx';
import { Button } from '../../parts/button.tsx';
import { Collapsible } from '../message/collapsible.tsx';
import { doAndTell } from './tell.ts';
import { formatCost, formatCount, formatDuration, formatTime, formatTokens } from '../../parts/format.ts';
import { lazy, useEffect, useRef, useState } from 'react';
import { Layers, Redo2, Undo2 } from 'lucide-react';
import { Link } from 'wouter';
import { reasonWords, savedPercent, tellRedo, tellUndo } from './compaction-words.ts';
import { useContextActions } from '../../data/context/context-actions.ts';
import { visibleText } from '../../parts/visible-text.ts';
import type { Compaction as Card, RedoAnswer, UndoAnswer } from '../../data/types.ts';
import type { LiveConversation } from '../../data/conversation/live-conversation.ts';

const ReplacedDialog = lazy(async () => ({
  default: (await import('./replaced-dialog.tsx')).ReplacedDialog,
}));

interface CompactionCardProps {
  readonly card: Card;
  readonly live: LiveConversation;
  readonly sessionId: string;
}

/** Where the context was compacted: a divider, what it came to, and behind it what was done and how to take it back. */
export function CompactionCard({ card, live, sessionId }: CompactionCardProps) {
  const { tokensBefore, tokensAfter, isInForce } = card;
  const title = isInForce ? 'Context compacted' : 'Compaction taken back';
  const change = `${formatTokens(tokensBefore)} → ${formatTokens(tokensAfter)} tokens, ${savedPercent(tokensBefore, tokensAfter)} % saved`;
  const actions = useContextActions(sessionId, live);
  const canTurn = card.canUndo || card.canRedo;
  return (
    <section
      aria-label={`${title}: ${change}`}
      data-compaction={card.id}
      className="relative my-2 rounded-lg border border-dashed border-line-strong bg-ground-soft"
    >
      <Collapsible
        name={`compaction ${card.id}`}
        className="group"
        summary={
          <summary
            className={clsx(
              'flex min-h-11 flex-wrap items-center gap-x-2 gap-y-0.5 rounded-lg px-3 py-2 text-sm',
              // Room for the button beside it, which a line that is pressed itself cannot hold.
              canTurn && 'pr-26',
            )}
          >
            <Layers size={15} aria-hidden className="text-accent" />
            <span className="font-medium">{title}</span>
            <span className="text-ink-soft">{change}</span>
            <span className="text-xs text-ink-faint">{formatTime(card.createdAtMs)}</span>
            <span aria-hidden className="ml-auto text-xs text-accent">
              <span className="group-open:hidden">Details</span>
              <span className="hidden group-open:inline">Less</span>
            </span>
          </summary>
        }
      >
        <div className="flex flex-col gap-3 border-t border-line p-3">
          <Facts card={card} />
          <Summary card={card} />
          <Actions card={card} sessionId={sessionId} />
        </div>
      </Collapsible>
      <TurnBack card={card} undo={actions.undo} redo={() => actions.redo(card.id)} />
    </section>
  );
}

/** What is known of it, a name and a value each. */
function factsOf(card: Card): readonly (readonly [string, string])[] {
  const { range, cost, round } = card;
  const usd = cost?.usd ?? null;
  const messages = cost?.messagesCompacted ?? (range ? range.end - range.first : 0);
  const known: readonly (readonly [string, string | null])[] = [
    ['Why', reasonWords[card.reason]],
    ['Strategy', card.strategy],
    // None where only output was pruned, or a summary was written anew.
    ['Messages compacted', messages === 0 ? null : formatCount(messages)],
    ['Summary', round === null ? 'none: output was pruned' : `number ${round}, by ${cost?.model ?? 'code'}`],
    ['Took', cost && formatDuration(cost.durationMs)],
    ['Cost', usd && formatCost(Math.max(0, usd.summariserUsd + usd.rewriteUsd))],
    ['Saves', usd && usd.savedPerStepUsd > 0 ? `${formatCost(usd.savedPerStepUsd)} a step` : null],
  ];
  return known.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
}

function Facts({ card }: { readonly card: Card }) {
  return (
    <dl className="grid grid-cols-[max-content_1fr] gap-x-4 gap-y-0.5 text-sm">
      {factsOf(card).map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-ink-faint">{name}</dt>
          <dd className="min-w-0 break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Summary({ card: { summary } }: { readonly card: Card }) {
  if (summary === null) return null;
  return (
    <div
      role="region"
      aria-label="The summary"
      tabIndex={0}
      className="max-h-96 overflow-auto rounded-md border border-line bg-ground p-3 text-sm"
    >
      <WrittenSummary text={summary} />
    </div>
  );
}

/**
 * The summary as the model reads it, character by character. It quotes what was said: read as Markdown, lines of it would
 * be lost (`[2]: words` is the address of a link there) or swallowed by a fence that was cut off.
 */
function WrittenSummary({ text }: { readonly text: string }) {
  const lines = visibleText(text).split('\n');
  return lines.map((line, at) => (
    <p
      key={at}
      dir="auto"
      className={clsx(
        'min-h-[1lh] break-words whitespace-pre-wrap',
        line.startsWith('#') && 'mt-2 font-semibold',
      )}
    >
      {line}
    </p>
  ));
}

function Actions({ card, sessionId }: Omit<CompactionCardProps, 'live'>) {
  const [isShown, setShown] = useState(false);
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button isSmall onClick={() => setShown(true)}>
        Show what was replaced
      </Button>
      <Link
        href={`/sessions/${sessionId}/inspector${card.range ? `/m${card.range.first}` : ''}`}
        className="rounded px-2 text-xs text-accent underline"
      >
        Open in the inspector
      </Link>
      {isShown && (
        <ArrivingWindow onClose={() => setShown(false)}>
          <ReplacedDialog card={card} sessionId={sessionId} onClose={() => setShown(false)} />
        </ArrivingWindow>
      )}
    </div>
  );
}

interface TurnBackProps {
  readonly card: Card;
  readonly undo: () => Promise<UndoAnswer>;
  readonly redo: () => Promise<RedoAnswer>;
}

/** At the card, without opening it. Undo, and then redo, in one button: whoever pressed it with a key is still on it. */
function TurnBack({ card: { canUndo, canRedo }, undo, redo }: TurnBackProps) {
  const button = useRef<HTMLButtonElement>(null);
  const wasPressed = useRef(false);
  useEffect(() => {
    if (wasPressed.current && document.activeElement === document.body)
      button.current?.focus({ preventScroll: true });
  }, [canUndo, canRedo]);
  if (!canUndo && !canRedo) return null;
  const turn = (): void => {
    wasPressed.current = true;
    if (canUndo) void doAndTell('It could not be taken back', undo, tellUndo);
    else void doAndTell('It could not be redone', redo, tellRedo);
  };
  const Icon = canUndo ? Undo2 : Redo2;
  return (
    <Button ref={button} isSmall onClick={turn} className="absolute top-2 right-3">
      <Icon size={14} aria-hidden /> {canUndo ? 'Undo' : 'Redo'}
    </Button>
  );
}
