import { callInputValue, stringLeaves } from '../transcript/entry-text.ts';
import type { CallPart } from '../transcript/entry.ts';

const remark =
  /the user (?:said|provided the following (?:reason|feedback)[^:\n]{0,60}|did not allow this call):\s*([\s\S]{1,20000})$/i;
const remarkEnd = /\. It was not made\.\s*$/;

/** What the user remarked when refusing a call. */
export function remarkOf(text: string): string | undefined {
  return remark.exec(text.slice(0, 24_000))?.[1]?.replace(remarkEnd, '').trim();
}

// An option that the user chose is shorter.
const longestChoice = 1_000;
// A shorter one may stand in what the user says by chance.
const shortestPlan = 80;

// Claude Code writes these around the answers.
const answersBegin = /^(?:User has answered your questions|Your questions have been answered):\s{0,9}/i;
const answersEnd = "You can now continue with the user's answers in mind";

// What Claude Code says for a user who has pressed a key; what the user wrote into the plan stands under another heading.
const approval = /^User has approved (?:your plan|exiting plan mode)\b/;
const savedAt = /^Your plan has been saved to: ([^\n]{1,400})$/m;
const toldAgain = /\n## Approved Plan:\n[^]*$/;
const editedPlan = /\n## Approved Plan \(edited by user\):\n([^]*)$/;

/** The approval of a plan, without what the tool says of it to the model. */
function approvedText(text: string): string | undefined {
  if (!approval.test(text)) return undefined;
  const frame = text.replace(toldAgain, '').replace(editedPlan, '');
  const path = savedAt.exec(frame)?.[1]?.trim();
  const where = path === undefined ? '' : ` (saved in ${path})`;
  const added = editedPlan.exec(text)?.[1]?.trim() ?? remarkOf(frame);
  return `approved the plan${where}${added === undefined ? '' : `, with this:\n${added}`}`;
}

/** What the user answered: a tool that says again what it was given, a plan or the question, says nothing of the user's. */
export function answerText(call: CallPart, text: string): string {
  const approved = approvedText(text);
  if (approved !== undefined) return approved;
  const isFramed = answersBegin.test(text);
  let rest = isFramed ? withoutFrame(text) : text;
  const asked = stringLeaves(callInputValue(call));
  const questions = asked.filter(({ key }) => key === 'question').length;
  for (const { key, text: leaf } of asked) {
    const words = leaf.trim();
    // Of several questions each answer needs its own.
    const echo = `"${words}"=`;
    if (isFramed && key === 'question' && questions === 1 && rest.startsWith(echo))
      rest = rest.slice(echo.length);
    else if (words.length > longestChoice || (key === 'plan' && words.length > shortestPlan))
      rest = rest.replace(words, () => '[…]');
  }
  return rest.trim();
}

function withoutFrame(text: string): string {
  const rest = text.replace(answersBegin, '').trimEnd();
  const end = rest.lastIndexOf(answersEnd);
  const isAtEnd = end >= 0 && rest.length - end <= answersEnd.length + 1;
  return isAtEnd ? rest.slice(0, end).trimEnd().replace(/\.$/, '') : rest;
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
