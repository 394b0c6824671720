import { checkAnswer } from './check-answer.ts';
import { chunkText, planChunks } from './plan-chunks.ts';
import { questionOf } from './question.ts';
import { modelRequestTokens } from './model-request.ts';
import { entryTexts } from '../transcript/entry-text.ts';
import { messageOrdinal } from '../transcript/entry.ts';
import type { Answer, AnswerUsage, ModelRequest } from './model-request.ts';
import type { SummarySource, WrittenFrom } from './collect-summary.ts';
import type { Profile } from './profiles.ts';
import type { CheckedAnswer, RejectReason } from './check-answer.ts';

/** A summary being written. Plain JSON without messages: they are handed in again at every step. */
export interface SummaryJob {
  readonly profile: Profile;
  /** Exclusive ends of the chunks, as indexes into the timeline of the source. */
  readonly chunkEnds: readonly number[];
  /** Most tokens of history in one request. */
  readonly roomTokens: number;
  /** Chunk being asked for. */
  readonly cursor: number;
  /** First entry of that chunk. */
  readonly from: number;
  /** Prose so far: of earlier rounds at first, then of the chunks before the cursor. */
  readonly draft: string;
  /** Most one request may cost, lowered by overflows. */
  readonly limitTokens: number;
  readonly calls: number;
  readonly chunksDone: number;
  readonly overflows: number;
  /** Rejected answers; `correction` is set while the retry is open. */
  readonly retries: number;
  readonly correction?: RejectReason;
  /** Lines of answers that were left out, because they name what is neither in the history nor made of what is. */
  readonly invented: number;
  readonly usage: AnswerUsage;
  /** The open question goes behind the messages of the session; what comes to nothing there is asked alone. */
  readonly usesCachedPrefix?: true;
  /** What of the usage such a question came to. */
  readonly cachedPrefixUsage?: AnswerUsage;
}

type FallbackReason =
  | RejectReason
  | 'nothing-to-ask'
  | 'window-too-small'
  | 'overflow'
  | 'timeout'
  | 'unavailable';

type JobWork = Pick<SummaryJob, 'usage' | 'cachedPrefixUsage' | 'calls' | 'invented'>;

export type SummaryStep =
  | { readonly type: 'ask'; readonly request: ModelRequest; readonly job: SummaryJob }
  | ({
      readonly type: 'written';
      /** The prose of earlier rounds and of the chunks that were answered. */
      readonly prose: string;
      /** `code`: the model wrote nothing, or not all. */
      readonly by: 'model' | 'code';
      /** Ordinal of the last message it tells of; -1 where there is none. */
      readonly end: number;
      /** Why the timeline has to do. */
      readonly reason?: FallbackReason;
    } & JobWork)
  | ({ readonly type: 'cancelled' } & JobWork);

const maxChunks = 8;
const maxOverflows = 3;
/** Per chunk one, per job so many. */
const maxRetries = 3;
// More than any window; `Infinity` does not survive JSON.
const maxLimitTokens = 4_000_000;
const leastRoomTokens = 120;

/** Plans the requests for a summary. Nothing is asked yet: `advance` without an answer gives the first request. */
export function startSummaryJob(from: WrittenFrom, profile: Profile): SummaryJob {
  const job: SummaryJob = {
    profile,
    chunkEnds: [],
    roomTokens: 0,
    cursor: 0,
    from: 0,
    draft: from.source.previous?.prose ?? '',
    limitTokens: Math.min(maxLimitTokens, Math.max(0, from.limits.summariserTokens)),
    calls: 0,
    chunksDone: 0,
    overflows: 0,
    retries: 0,
    invented: 0,
    usage: { inputTokens: 0, outputTokens: 0 },
  };
  return planned(from, job);
}

/**
 * One step of a job: the next request, or the prose. Without an answer it (re)states the open request.
 *
 * Asks for at most 8 chunks, with one retry each (3 in all) and 3 halvings after an overflow; then, and on everything
 * else that goes wrong, the prose so far stands and the timeline tells the rest. The prose is never above
 * `limits.proseTokens`, and its lines name nothing that the history does not contain. Never throws on any answer.
 */
export function advance(from: WrittenFrom, job: SummaryJob, answer?: Answer): SummaryStep {
  if (answer === undefined) return ask(from, job);
  const counted = { ...job, calls: job.calls + 1 };
  if (job.usesCachedPrefix) return afterCachedPrefix(from, counted, answer);
  if (answer.type === 'failed') return failures[answer.cause](from, counted, answer);
  return answered(from, { ...counted, usage: added(job.usage, answer.usage) }, answer);
}

/** The job with its first question behind the messages of the session; as it is where there is nothing to ask. */
export function onCachedPrefix(job: SummaryJob): SummaryJob {
  return job.chunkEnds.length === 0 ? job : { ...job, usesCachedPrefix: true };
}

function afterCachedPrefix(
  from: WrittenFrom,
  { usesCachedPrefix: _asked, ...job }: SummaryJob,
  answer: Answer,
): SummaryStep {
  if (answer.type === 'failed') {
    return answer.cause === 'cancelled' ? failures.cancelled(from, job, answer) : ask(from, job);
  }
  const usage = added(job.usage, answer.usage);
  const counted: SummaryJob = { ...job, usage, ...(answer.usage && { cachedPrefixUsage: answer.usage }) };
  const checked = check(from, counted, answer);
  if (!checked.ok) return ask(from, counted);
  return ask(from, {
    ...counted,
    draft: checked.prose,
    invented: job.invented + checked.invented,
    cursor: job.chunkEnds.length,
  });
}

type FailedAnswer = Extract<Answer, { type: 'failed' }>;
type OnFailure = (from: WrittenFrom, job: SummaryJob, answer: FailedAnswer) => SummaryStep;

const failures: { readonly [Cause in FailedAnswer['cause']]: OnFailure } = {
  cancelled: (_from, job) => ({ type: 'cancelled', ...workOf(job) }),
  timeout: ({ source }, job) => writtenByCode(source, job, 'timeout'),
  unavailable: ({ source }, job) => writtenByCode(source, job, 'unavailable'),
  overflow: (from, job, { limitTokens }) => {
    if (job.overflows >= maxOverflows) return writtenByCode(from.source, job, 'overflow');
    const named = limitTokens !== undefined && limitTokens > 0 ? limitTokens * 0.9 : Infinity;
    const halved = Math.floor(Math.min(named, questionTokens(from, job) / 2 + overheadTokens(from, job) / 2));
    const lower = Math.max(1, Math.min(halved, job.limitTokens - 1));
    return ask(from, planned(from, { ...job, overflows: job.overflows + 1, limitTokens: lower }));
  },
};

function answered(
  from: WrittenFrom,
  job: SummaryJob,
  answer: Extract<Answer, { type: 'text' }>,
): SummaryStep {
  const checked = check(from, job, answer);
  if (checked.ok) {
    const { correction: _solved, ...rest } = job;
    const end = job.chunkEnds[job.cursor] ?? from.source.reading.timeline.length;
    return ask(from, {
      ...rest,
      draft: checked.prose,
      invented: job.invented + checked.invented,
      cursor: job.cursor + 1,
      from: end,
      chunksDone: job.chunksDone + 1,
    });
  }
  if (job.correction !== undefined || job.retries >= maxRetries)
    return writtenByCode(from.source, job, checked.reason);
  return ask(from, { ...job, retries: job.retries + 1, correction: checked.reason });
}

function check(from: WrittenFrom, job: SummaryJob, answer: Extract<Answer, { type: 'text' }>): CheckedAnswer {
  const { estimator, proseTokens } = from.limits;
  const input = `${job.draft}\n${textOf(from, job)}`;
  return checkAnswer(answer, {
    profile: job.profile,
    estimator,
    maxTokens: proseTokens,
    input,
    known: () => knownTexts(from.source),
  });
}

/** Everything that the history says of what is compacted, and of the requests. */
function knownTexts({ entries, task, request, previous, focus }: SummarySource): string[] {
  const texts = [...entries, ...(task ? [task] : []), ...(request ? [request] : [])].flatMap(entryTexts);
  return [...texts, previous?.prose ?? '', focus ?? '', ...(previous?.names.map(({ name }) => name) ?? [])];
}

/** The request at the cursor; behind the last chunk, the draft is the prose. */
function ask(from: WrittenFrom, job: SummaryJob): SummaryStep {
  const { source } = from;
  const { chunkEnds, cursor } = job;
  if (chunkEnds.length === 0)
    return writtenByCode(
      source,
      job,
      source.reading.timeline.length === 0 ? 'nothing-to-ask' : 'window-too-small',
    );
  if (cursor >= chunkEnds.length)
    return {
      type: 'written',
      prose: job.draft,
      by: 'model',
      end: proseEnd(source, chunkEnds.at(-1) ?? 0),
      ...workOf(job),
    };
  return {
    type: 'ask',
    request: job.usesCachedPrefix ? questionOf(from, job) : questionOf(from, job, textOf(from, job)),
    job,
  };
}

/** From here on without a model: what it wrote of earlier chunks is kept, and the timeline tells the rest. */
function writtenByCode(source: SummarySource, job: SummaryJob, reason: FallbackReason): SummaryStep {
  return {
    type: 'written',
    prose: job.draft,
    by: 'code',
    end: proseEnd(source, job.from),
    reason,
    ...workOf(job),
  };
}

/** The end of prose that tells of the timeline up to an index: an ordinal, -1 where it tells of nothing. */
function proseEnd({ reading, previous, entries }: SummarySource, index: number): number {
  if (index >= reading.timeline.length) return entries.at(-1)?.ordinal ?? previous?.proseEnd ?? -1;
  const before = reading.timeline[index - 1];
  return before ? messageOrdinal(before.recallId) : (previous?.proseEnd ?? -1);
}

function workOf({ usage, cachedPrefixUsage, calls, invented }: SummaryJob): JobWork {
  return { usage, calls, invented, ...(cachedPrefixUsage && { cachedPrefixUsage }) };
}

/** Plans the chunks from the cursor on, within the limit and the calls that are left. */
function planned(from: WrittenFrom, job: SummaryJob): SummaryJob {
  const { source, limits } = from;
  const roomTokens = job.limitTokens - overheadTokens(from, job);
  const chunkEnds =
    roomTokens < leastRoomTokens
      ? []
      : planChunks(source.reading.timeline, {
          from: job.from,
          roomTokens,
          maxChunks: maxChunks - job.chunksDone,
          estimator: limits.estimator,
        });
  return { ...job, chunkEnds, roomTokens, cursor: 0 };
}

function textOf({ source, limits }: WrittenFrom, job: SummaryJob): string {
  const { chunkEnds, cursor, from, roomTokens } = job;
  const chunk = source.reading.timeline.slice(from, chunkEnds[cursor] ?? from);
  return chunkText(chunk, roomTokens, limits.estimator);
}

/** Everything in a request but the history: with a draft as long as it may become, and a correction. */
function overheadTokens(from: WrittenFrom, job: SummaryJob): number {
  const empty = questionOf(from, { ...job, draft: '', correction: 'longer-than-input' }, '');
  const { estimator, proseTokens } = from.limits;
  const draftTokens = Math.max(proseTokens, estimator.count(job.draft));
  return modelRequestTokens(empty, estimator) + draftTokens + 80;
}

function questionTokens(from: WrittenFrom, job: SummaryJob): number {
  return modelRequestTokens(questionOf(from, job, textOf(from, job)), from.limits.estimator);
}

/** Estimated tokens of all questions of a job that has not begun, standing alone. */
export function textTokens(from: WrittenFrom, job: SummaryJob): number {
  let tokens = 0;
  let first = job.from;
  for (const [cursor, end] of job.chunkEnds.entries()) {
    tokens += questionTokens(from, { ...job, cursor, from: first });
    first = end;
  }
  return tokens;
}

function added(sum: AnswerUsage, usage: AnswerUsage | undefined): AnswerUsage {
  return {
    inputTokens: sum.inputTokens + (usage?.inputTokens ?? 0),
    outputTokens: sum.outputTokens + (usage?.outputTokens ?? 0),
  };
}
