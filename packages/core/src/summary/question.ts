import { corrections } from './corrections.ts';
import { detectLanguage } from './detect-language.ts';
import { entryText } from '../transcript/entry-text.ts';
import { ownWords } from '../transcript/own-words.ts';
import { cachedPrefixRequest, summaryRequest } from './prompts.ts';
import type { SummarySource, SummaryLimits } from './summary-source.ts';
import type { ModelRequest } from './model-request.ts';
import type { Profile } from './profiles/profile.ts';
import type { RejectReason } from './check-answer.ts';

const languageChars = 20_000;

/** What of a job goes into its question. */
interface Asked {
  readonly profile: Profile;
  readonly draft: string;
  readonly correction?: RejectReason;
}

/** The request for the prose of a stretch of history as text; without one, the question behind the session's messages. */
export function questionOf(
  source: SummarySource,
  limits: SummaryLimits,
  job: Asked,
  history?: string,
): ModelRequest {
  const { task, focus } = source;
  const language = detectLanguage(languageSample(source));
  const input = {
    profile: job.profile,
    task: task ? ownWords(task) : '',
    targetTokens: limits.proseTargetTokens,
    maxTokens: limits.proseTokens,
    ...(language === undefined ? {} : { language }),
    ...(focus === undefined ? {} : { focus }),
    ...(job.correction === undefined ? {} : { correction: corrections[job.correction] }),
  };
  return history === undefined
    ? cachedPrefixRequest(input)
    : summaryRequest({ ...input, history, previousProse: job.draft });
}

function languageSample({ entries, task }: SummarySource): string {
  let sample = task ? ownWords(task).slice(0, languageChars) : '';
  for (const entry of entries) {
    if (sample.length > languageChars) break;
    if (entry.role !== 'tool') sample += entryText(entry).slice(0, 2_000);
  }
  return sample;
}
