import { carryFacts } from './carry-facts.ts';
import { carryTask } from './carry-task.ts';
import { carryUserMessages } from './carry-user-messages.ts';
import { detectLanguage } from './detect-language.ts';
import { entryText } from '../transcript/entry-text.ts';
import { findTodos } from './find-todos.ts';
import { touchedFiles } from './touched-files.ts';
import { unresolvedError } from './unresolved-error.ts';
import type { FoldSource, SummaryLimits } from './fold-source.ts';
import type { SummaryRecord } from '../transcript/summary-record.ts';

/**
 * The parts of a summary that code writes, from all texts of the folded messages and the record they are merged with:
 * the user's other messages, open todos, wait state, files, an unresolved error, facts. Prose and its author are empty
 * (`''`, `none`); who writes it fills them in.
 *
 * Reads every text once; linear. All lists are bounded: 50 todos, 400 files, facts and user messages by `limits`.
 */
export function collectRecord(source: FoldSource, limits: SummaryLimits): SummaryRecord {
  const { entries, previous } = source;
  const { messages, omitted } = carryUserMessages(source, limits);
  const files = touchedFiles(entries, previous?.files);
  const error = unresolvedError(entries, previous?.unresolvedError);
  const task = carryTask(source, limits);
  const language = detectLanguage(languageSample(source)) ?? previous?.language;
  return {
    round: (previous?.round ?? 0) + 1,
    ...(task === undefined ? {} : { task }),
    prose: '',
    proseBy: 'none',
    profile: previous?.profile ?? 'coding',
    ...(language === undefined ? {} : { language }),
    archivedMessages: (previous?.archivedMessages ?? 0) + entries.length,
    userMessages: messages,
    omittedUserMessages: omitted,
    todos: findTodos(entries) ?? previous?.todos ?? [],
    waitState: source.waitState,
    files,
    facts: carryFacts(source, limits, files.map(({ path }) => path).join('\n')),
    ...(error === undefined ? {} : { unresolvedError: error }),
  };
}

const sampleChars = 20_000;

/** What user and assistant said to each other, newest first, as far as it takes to tell the language. */
function languageSample({ entries, task, latest, previous }: FoldSource): string {
  let sample =
    `${task ? entryText(task) : (previous?.task?.text ?? '')}\n${latest ? entryText(latest) : ''}`.slice(
      0,
      sampleChars,
    );
  for (const entry of entries.toReversed()) {
    if (sample.length > sampleChars) break;
    if (entry.role === 'user' || entry.role === 'assistant')
      sample += `\n${entryText(entry).slice(0, 4_000)}`;
  }
  return sample;
}
