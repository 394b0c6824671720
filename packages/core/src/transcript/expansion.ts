import { isOwnText, ownWords } from './own-words.ts';
import { resultText } from './entry-text.ts';
import type { Entry } from './entry.ts';

const command =
  /^<command-message>[^<]{0,400}<\/command-message>\s{0,99}<command-name>[^<]{0,400}<\/command-name>\s{0,99}/;
const argumentsBegin = '<command-args>';
const argumentsEnd = '</command-args>';

/** Whether a text is a command and its arguments, and nothing else. */
function isCommand(text: string): boolean {
  const [head = ''] = command.exec(text) ?? [];
  const rest = text.slice(head.length);
  if (head === '' || rest === '') return head !== '';
  const end = rest.indexOf(argumentsEnd);
  return rest.startsWith(argumentsBegin) && end > 0 && end + argumentsEnd.length === rest.length;
}

const launchedSkill = /^\s{0,9}Launching skill: \S{1,200}\s{0,9}$/;
const leastSkillLines = 3;

/** The messages in front of one, the nearest first. */
type Before = readonly (Entry | undefined)[];

/**
 * Whether a message is the prompt that the command right before it stands for, or the text of a skill that the call right
 * before it has launched (Claude Code): a file wrote it, not the user.
 */
export function isExpansionOf(entry: Entry, before: Before): boolean {
  if (entry.role !== 'user') return false;
  const [nearest] = before;
  if (nearest?.role === 'user' && isCommand(ownWords(nearest).trim())) return true;
  return isSkillText(entry, before);
}

/** The one text behind the result of the call, in its message or the next. With words of the user beside it, it is none. */
function isSkillText(entry: Entry, before: Before): boolean {
  const texts = entry.parts.filter((part) => part.type === 'text');
  const [text] = texts;
  if (texts.length !== 1 || !text || !isOwnText(text) || text.text.split('\n').length < leastSkillLines)
    return false;
  const holder = entry.parts.some(({ type }) => type === 'result') ? entry : before[0];
  const result = holder?.parts.at(holder === entry ? -2 : -1);
  if (result?.type !== 'result' || !launchedSkill.test(resultText(result))) return false;
  return before.some((one) =>
    one?.parts.some((part) => part.type === 'call' && part.callId === result.callId && part.name === 'Skill'),
  );
}
