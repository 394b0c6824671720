import type { WireFormat } from './compose-wire.ts';
import { judgeAiSdk } from './judge/judge-ai-sdk.ts';
import { judgeAnthropic } from './judge/judge-anthropic.ts';
import { judgeChat } from './judge/judge-chat.ts';
import { judgeResponses } from './judge/judge-responses.ts';
import type { JudgeOptions, Report } from './judge/wire-value.ts';
import { hasLoneSurrogate, isObject, textOf } from './judge/wire-value.ts';

export type JudgedFormat = Exclude<WireFormat, 'session'>;

const judges: Record<
  JudgedFormat,
  (messages: readonly unknown[], options: JudgeOptions, report: Report) => void
> = {
  'openai-chat': judgeChat,
  'openai-responses': judgeResponses,
  anthropic: judgeAnthropic,
  'ai-sdk': judgeAiSdk,
};

/**
 * The judge of every test: what is wrong with wire messages of a format, as sentences; empty when nothing is. Written
 * against the providers' documentation and the texts of their refusals, on the wire form itself; shares no code
 * with the core's validator. The empty list has no faults.
 */
export function findWireFaults(
  format: JudgedFormat,
  messages: readonly unknown[],
  options: JudgeOptions = { ending: 'send' },
): readonly string[] {
  const faults: string[] = [];
  const report: Report = (index, fault) => void faults.push(`${format} message ${index} ${fault}`);
  judges[format](messages, options, report);
  for (const [index, message] of messages.entries()) {
    if (hasLoneSurrogate(message)) report(index, 'has a lone surrogate');
  }
  const first = messages.findIndex(
    (message) => !isObject(message) || !['system', 'developer'].includes(textOf(message['role'])),
  );
  const opener = messages[first];
  if (
    options.wantsUserFirst === true &&
    messages.length > 0 &&
    !(isObject(opener) && opener['role'] === 'user')
  ) {
    report(Math.max(first, 0), 'is first and not the user’s');
  }
  return faults;
}
