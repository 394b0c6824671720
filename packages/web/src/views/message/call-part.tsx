import { Arriving } from '../../parts/popups/arriving.tsx';
import { changeOf } from './edits.ts';
import { clsx } from 'clsx';
import { Collapsible } from './collapsible.tsx';
import { Ban, Check, CircleAlert, Clock, LoaderCircle } from 'lucide-react';
import { formatDuration } from '../../parts/format.ts';
import { lazy, useMemo, useState } from 'react';
import { MediaPart } from './media-part.tsx';
import { Pre } from '../../parts/text/pre.tsx';
import { visibleText } from '../../parts/visible-text.ts';
import { useSeconds } from '../../parts/use-seconds.ts';
import { Button } from '../../parts/button.tsx';
import { useRecalled } from '../../data/session/session-parts.ts';
import type { CallResult } from './call-results.ts';
import type { Json, MessagePart, ResultContent } from '../../data/types.ts';
import type { LiveCall } from '../../data/conversation/state.ts';
import type { ReactNode } from 'react';

type Call = Extract<MessagePart, { readonly type: 'call' }>;

interface CallPartProps {
  readonly sessionId: string;
  readonly call: Call;
  readonly result: CallResult | undefined;
  readonly live: LiveCall | undefined;
}

type CallState = LiveCall['state'] | 'unanswered';

const EditDiff = lazy(() => import('./edit-diff.tsx').then((module) => ({ default: module.EditDiff })));

/** A call of a tool with what came of it. */
export function CallPart({ sessionId, call, result, live }: CallPartProps) {
  const state = stateOf(result, live);
  const isRunning = state === 'running';
  return (
    <Collapsible
      name={call.callId}
      isOpenByItself={isRunning && (live?.output ?? '') !== ''}
      className="rounded-lg border border-line bg-ground-soft text-sm"
      summary={
        <summary className="flex items-center gap-2 px-3 py-1.5">
          {icons[state]}
          <span className="max-w-1/2 shrink-0 truncate font-mono text-xs font-semibold">
            {visibleText(call.name)}
          </span>
          <span dir="auto" className="min-w-0 flex-1 truncate font-mono text-xs text-ink-soft">
            {visibleText(summaryOf(call.input))}
          </span>
          <span className={clsx(!saidStates.has(state) && 'sr-only', 'shrink-0 text-xs text-ink-soft')}>
            {stateWords[state]}
          </span>
          <Took live={live} isRunning={isRunning} />
        </summary>
      }
    >
      <div className="flex flex-col gap-2 border-t border-line p-3">
        <Arguments call={call} />
        {result ? (
          <ResultView sessionId={sessionId} result={result} />
        ) : (
          live &&
          live.output !== '' && <Pre text={live.output} label="Output so far" followsEnd={isRunning} />
        )}
      </div>
    </Collapsible>
  );
}

/** What it was called with: as a change of a file where it is one, and always as it was written. */
function Arguments({ call: { callId, input } }: Pick<CallPartProps, 'call'>) {
  const change = useMemo(() => changeOf(input), [input]);
  const written = <Pre text={JSON.stringify(input, null, 2)} label="Arguments" />;
  if (!change) return written;
  return (
    <>
      <Arriving instead={written}>
        <EditDiff change={change} />
      </Arriving>
      <Collapsible
        name={`${callId} arguments`}
        className="text-xs text-ink-soft"
        summary={<summary>All arguments</summary>}
      >
        {written}
      </Collapsible>
    </>
  );
}

function Took({ live, isRunning }: { readonly live: LiveCall | undefined; readonly isRunning: boolean }) {
  const seconds = useSeconds(isRunning ? live?.startedAtMs : undefined);
  const durationMs = live?.durationMs ?? null;
  const took = durationMs === null ? '' : formatDuration(durationMs);
  const text = isRunning ? `${seconds} s` : took;
  return <span className="shrink-0 text-xs text-ink-faint tabular-nums">{text}</span>;
}

interface ResultViewProps {
  readonly sessionId: string;
  readonly result: CallResult;
}

/** What a call gave back; where it was shortened it says so, and the whole is one click away. */
export function ResultView({ sessionId, result: { part, mark, recallId } }: ResultViewProps) {
  return (
    <>
      {part.content.map((piece, at) => (
        <ResultPiece key={at} sessionId={sessionId} piece={piece} isError={part.isError === true} />
      ))}
      {(mark.isTruncated === true || mark.compactedAtMs !== undefined) && (
        <div className="flex flex-wrap items-center gap-2 text-xs text-ink-soft">
          {mark.isTruncated === true && <span>The output was cut before it was stored here.</span>}
          {mark.compactedAtMs !== undefined && <span>The model no longer sees this output.</span>}
          {mark.isTruncated === true && <RecalledText sessionId={sessionId} recallId={recallId} />}
        </div>
      )}
    </>
  );
}

interface ResultPieceProps {
  readonly sessionId: string;
  readonly piece: ResultContent;
  readonly isError: boolean;
}

function ResultPiece({ sessionId, piece, isError }: ResultPieceProps) {
  if (piece.type === 'media') return <MediaPart sessionId={sessionId} media={piece} />;
  return <Pre text={piece.text} label={isError ? 'Error' : 'Output'} isBad={isError} />;
}

const size = { size: 14, 'aria-hidden': true, className: 'shrink-0' };

const icons: Readonly<Record<CallState, ReactNode>> = {
  pending: <Clock {...size} />,
  running: <LoaderCircle {...size} className="shrink-0 animate-spin text-accent" />,
  completed: <Check {...size} className="shrink-0 text-good" />,
  error: <CircleAlert {...size} className="shrink-0 text-bad" />,
  cancelled: <Ban {...size} className="shrink-0 text-ink-faint" />,
  unanswered: <Ban {...size} className="shrink-0 text-ink-faint" />,
};

const stateWords: Readonly<Record<CallState, string>> = {
  pending: 'waits',
  running: 'runs',
  completed: 'completed',
  error: 'failed',
  cancelled: 'cancelled',
  unanswered: 'has no result',
};

/** Those that everybody is told in words; of the others the picture is enough for who sees it. */
const saidStates: ReadonlySet<CallState> = new Set(['pending', 'error', 'cancelled', 'unanswered']);

function stateOf(result: CallResult | undefined, live: LiveCall | undefined): CallState {
  if (live?.state === 'cancelled' || result?.mark.isCancelled === true) return 'cancelled';
  if (result) return result.part.isError === true ? 'error' : 'completed';
  return live?.state ?? 'unanswered';
}

/** The most telling argument: the first that is a text, in one line. */
function summaryOf(input: Json): string {
  if (typeof input !== 'object' || input === null) return String(input ?? '');
  const texts = Object.values(input).filter((value): value is string => typeof value === 'string');
  const [first = ''] = (texts[0] ?? JSON.stringify(input)).split('\n', 1);
  return first.slice(0, 300);
}

interface RecalledTextProps {
  readonly sessionId: string;
  readonly recallId: string;
}

/** A button that brings back the whole of something that was shortened. */
function RecalledText({ sessionId, recallId }: RecalledTextProps) {
  const [isWanted, setWanted] = useState(false);
  const recalled = useRecalled(sessionId, recallId, isWanted);
  if (!isWanted)
    return (
      <Button isSmall data-opens onClick={() => setWanted(true)}>
        Show the whole
      </Button>
    );
  if (recalled.state === 'failed') return <span role="alert">{recalled.failure.detail}</span>;
  return (
    <div className="w-full">
      <Pre label={`The whole (${recallId})`} text={recalled.state === 'ready' ? recalled.value.text : '…'} />
    </div>
  );
}
