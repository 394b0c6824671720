import { callInputValue, stringLeaves } from '../transcript/entry-text.ts';
import { ownWords } from '../transcript/own-words.ts';
import type { CallPart, Entry } from '../transcript/entry.ts';

const remark =
  /the user (?:said|provided the following (?:reason|feedback)[^:\n]{0,60}|did not allow this call):\s*([\s\S]{1,20000})$/i;
const remarkEnd = /\. It was not made\.\s*$/;

/** What the user remarked when refusing a call. */
export function remarkOf(text: string): string | undefined {
  return remark.exec(text.slice(0, 24_000))?.[1]?.replace(remarkEnd, '').trim();
}

// An option that the user chose is shorter.
const longestChoice = 1_000;

/** What the user answered: a tool that says a plan again that it was given says nothing of the user's. */
export function answerText(call: CallPart, text: string): string {
  const asked = stringLeaves(callInputValue(call)).filter(
    ({ key, text: said }) => said.trim() !== '' && (key === 'plan' || said.length > longestChoice),
  );
  return asked.reduce((rest, leaf) => rest.replace(leaf.text.trim(), () => '[…]'), text).trim();
}

/** The question and what was offered, without the keys of the tool. */
export function askedText(call: CallPart): string {
  const lines: string[] = [];
  for (const { key, text } of stringLeaves(callInputValue(call))) {
    if (key === 'header' || key === 'id' || text.trim() === '') continue;
    if (key === 'label') lines.push(`- ${text.trim()}`);
    else if (key === 'description' && lines.at(-1)?.startsWith('- '))
      lines.push(`${lines.pop() ?? ''}: ${text.trim()}`);
    else lines.push(text.trim());
  }
  return lines.join('\n').toWellFormed();
}

const commandOfUser =
  /^<command-message>[^<]{0,400}<\/command-message>\s*<command-name>[^<]{0,400}<\/command-name>\s*(?:<command-args>[^<]{0,4000}<\/command-args>\s*)?$/;

/** Whether a message is the prompt that the command before it stands for (Claude Code): a file wrote it, not the user. */
export function isExpansionOf(entry: Entry, before: Entry | undefined): boolean {
  if (entry.role !== 'user' || before?.role !== 'user' || before.ordinal + 1 !== entry.ordinal) return false;
  return commandOfUser.test(ownWords(before).slice(0, 5_000).trim());
}
