import { countOf } from '../terminal/numbers.ts';
import { renderView } from '@throughline/core';
import type { Answer, Transcript, View } from '@throughline/core';
import type { LadderStepReport, Repair } from '@throughline/core/types';
import type { SummaryFacts } from './compaction.ts';

/** What is known of who was to write the summary. */
interface SummaryStory {
  readonly by: SummaryFacts['by'] | null;
  readonly strategy: string;
  /** The model that `--model` named, whether or not it could be asked. */
  readonly model: string | undefined;
  readonly wasOffered: boolean;
  readonly calls: number;
  /** Why code took over from the model; the engine's word for it. */
  readonly fallback: string | null;
  /** What became of the decisions the model was asked for, in the engine's word; `null` where it was not. */
  readonly review: string | null;
  /** What the server said last. */
  readonly lastAnswer: Answer | undefined;
}

const reasons: Readonly<Record<string, string>> = {
  overflow: 'refused the history as too long, also in smaller pieces',
  timeout: 'did not answer in time',
  unavailable: 'could not be asked',
  empty: 'gave an empty answer twice',
  'cut-off': 'was cut off twice',
  'too-short': 'gave too short an answer twice',
  'too-long': 'gave too long an answer twice',
  'longer-than-input': 'gave an answer longer than the history, twice',
  refusal: 'refused to answer twice',
  'tool-call': 'called a tool instead of answering, twice',
  language: 'answered in another language twice',
  headings: 'left out the sections that were asked for, twice',
  'window-too-small': 'has too small a window to be asked',
  'nothing-to-ask': 'was not needed: there was nothing to summarise',
};

const reviewEnds: Readonly<Record<string, string>> = {
  used: 'judged the older messages',
  'no-gain': 'judged the older messages, and none of them could go',
  overflow: 'refused the older messages as too long to judge',
  timeout: 'did not judge the older messages in time',
  unavailable: 'could not be asked to judge the older messages',
};

/** Who wrote the summary and why; and what became of the model's judgement, where it was asked for one. */
export function explainSummary(story: SummaryStory): string {
  const { review, by, calls } = story;
  if (review === null) return explainWriter(story);
  const model = story.model ?? 'the model';
  if (by === null && review === 'used') {
    return `No summary was needed: ${model} judged the older messages in ${countOf(calls, 'call')}.`;
  }
  const ended =
    reviewEnds[review] ?? `judged the older messages, but the answer could not be used (${review})`;
  return `${explainWriter(story)} Before that, ${model} ${ended}.`;
}

function explainWriter(story: SummaryStory): string {
  const { by, strategy, model, wasOffered, calls, fallback, review, lastAnswer } = story;
  if (by === null) return 'No summary was needed.';
  if (by === 'none') return `The strategy ${strategy} writes no prose: code wrote the summary.`;
  if (by === 'model')
    return `${model ?? 'The model'} wrote the summary in ${countOf(calls, 'call')}${review === null ? '' : ', the judgement included'}.`;
  if (fallback !== null) {
    const said = lastAnswer?.type === 'failed' ? ` (${firstLine(lastAnswer.message)})` : '';
    return `Code wrote the summary, without a model: ${model ?? 'the model'} ${reasons[fallback] ?? `failed (${fallback})`}${said}.`;
  }
  if (wasOffered) return `Code wrote the summary: the strategy ${strategy} asks no model.`;
  if (model !== undefined) {
    return `Code wrote the summary, without a model: --model alone names the window; add --base-url to ask ${model}.`;
  }
  return 'Code wrote the summary, without a model (give --model and --base-url to have one write it).';
}

function firstLine(message: string): string {
  const line = message.split('\n', 1)[0]?.trim() ?? '';
  return line.length > 160 ? `${line.slice(0, 160)}…` : line;
}

const ladderSteps: Readonly<Record<LadderStepReport['ladderStep'], (report: LadderStepReport) => string>> = {
  truncate: ({ changes }) => `${countOf(changes, 'oversized result')} truncated`,
  review: ({ detail }) => `old messages judged by the model: ${detail}`,
  prune: ({ changes }) => `${countOf(changes, 'old result or argument', 'old results and arguments')} pruned`,
  compact: ({ detail }) => `old messages compacted into a summary${writers[detail] ?? ''}`,
  fit: ({ detail }) => `made to fit: ${detail}`,
};

const writers: Readonly<Record<string, string>> = {
  model: ', written by the model',
  code: ', written by code',
  none: ', without prose',
};

/** What one ladder step did, as half a sentence. */
export function describeLadderStep(report: LadderStepReport): string {
  return ladderSteps[report.ladderStep](report);
}

const sentences: Readonly<Record<Repair['type'], (count: number) => string>> = {
  'result-added': (count) => `${countOf(count, 'call')} without a result got an error result`,
  'result-dropped': (count) => `${countOf(count, 'result')} without a call left out`,
  'result-moved': (count) => `${countOf(count, 'late result')} put behind the call`,
  'results-reordered': (count) => `results put first in ${countOf(count, 'message')}`,
  'call-dropped': (count) => `${countOf(count, 'misplaced call')} left out`,
  'call-renamed': (count) => `${countOf(count, 'call')} renamed`,
  'part-dropped': (count) => `${countOf(count, 'part')} that cannot be sent left out`,
  'media-replaced': (count) => `${countOf(count, 'image or file', 'images or files')} replaced by a note`,
  'text-cleaned': (count) => `broken characters replaced in ${countOf(count, 'message')}`,
  'shape-mended': (count) => `${countOf(count, 'place')} brought into the form of the format`,
  'end-trimmed': () => 'white space at the end of the last answer left out',
  'message-dropped': (count) => `${countOf(count, 'empty message')} left out`,
  'system-converted': (count) => `${countOf(count, 'system message')} sent as a user message`,
  'messages-joined': (count) => `${countOf(count, 'response')} joined into one message`,
  'note-added': (count) => `${countOf(count, 'note')} added to keep the order of roles`,
};

/** What was repaired for the format, in words. */
export function describeRepairs(repairs: readonly Repair[]): string {
  const counts = new Map<Repair['type'], number>();
  for (const { type } of repairs) counts.set(type, (counts.get(type) ?? 0) + 1);
  return [...counts].map(([type, count]) => sentences[type](count)).join(', ');
}

/** Where the repair leaves nothing that could be sent: that it does, and why. `undefined` where something is left. */
export function whyUnsendable(transcript: Transcript, view: View): string | undefined {
  const { messages, repairs } = renderView(transcript, view);
  if (repairs.length === 0) return undefined;
  const left = messages.map(({ message }, at) => transcript.codec.decode(message, at));
  if (left.some(({ role }) => role !== 'system')) return undefined;
  const count = countOf(transcript.conversation.entries.length, 'message');
  return `none of its ${count} can be sent (${describeRepairs(repairs)})`;
}
