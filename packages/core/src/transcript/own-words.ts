import { isAllFiles, isPrintedDiff, withoutFiles } from './pasted.ts';
import { resultText, withoutEscapes } from './entry-text.ts';
import type { Entry, Part, TextPart } from './entry.ts';

/**
 * The texts of a message that its author wrote, joined by line feeds: without what a tool put beside or between them. A
 * file with no word beside it is what the user says.
 */
export function ownWords(entry: Entry): string {
  const texts = ownTexts(entry).map((text) => behindContext(asTyped(text)));
  const words = texts.map(withoutFiles);
  const isNothingElse = texts.every((text, at) => isAllFiles(text, words[at] ?? ''));
  return (isNothingElse ? texts : words).join('\n');
}

/** What the editor of Codex writes in front of a request. */
const contextOpening = /^\s{0,9}# (?:Context from my IDE setup|Files mentioned by the user):\n/;
const requestHeading = /\n## My request for Codex:\s{0,9}\n/;

function behindContext(text: string): string {
  const heading = contextOpening.test(text) ? requestHeading.exec(text) : null;
  return heading ? text.slice(heading.index + heading[0].length) : text;
}

/** Whether a text of a message on the user's side is a file or the like that its client has put beside the words. */
export function isAttachment(part: Part): part is TextPart {
  if (!hasText(part) || part.text.trimStart().startsWith('<system-reminder>')) return false;
  return injectedPart(part) === 'aside';
}

function ownTexts({ parts }: Entry): string[] {
  return parts.filter((part) => isOwnText(part)).map(({ text }) => text);
}

const commandTag = /\s{0,99}<(command-(?:message|name|args))>/y;

/** A command as its user typed it: Claude Code writes `/review 12` as three elements. Any other text as it is. */
function asTyped(text: string): string {
  const said = new Map<string, string>();
  let end = 0;
  for (;;) {
    commandTag.lastIndex = end;
    const [opening = '', tagName = ''] = commandTag.exec(text) ?? [];
    const closing = `</${tagName}>`;
    const close = opening === '' || said.has(tagName) ? -1 : text.indexOf(closing, end);
    if (close < 0) break;
    said.set(tagName, text.slice(end + opening.length, close).trim());
    end = close + closing.length;
  }
  const name = said.get(commandElement);
  if (name === undefined || name === '') return text;
  return `${name} ${said.get(userElement) ?? ''}`.trimEnd() + text.slice(end);
}

/** A message in which a user says something, not only the transport of results, a tool's own text, or an empty one. */
export function isRequest(entry: Entry): boolean {
  return entry.role === 'user' && entry.parts.some((part) => part.type === 'media' || isOwnText(part));
}

/** A message on the user's side that is not empty, whoever wrote it. */
export function isSpoken({ role, parts }: Entry): boolean {
  return role === 'user' && parts.some((part) => part.type === 'media' || hasText(part));
}

/** A message on the user's side in which a tool says something and the user nothing. */
export function isInjected(entry: Entry): boolean {
  return !entry.parts.some(({ type }) => type === 'result') && isSpoken(entry) && !isRequest(entry);
}

/** Such a message that holds instructions or facts for the model; a reminder may be a project's rules (Claude Code). */
export function isInstructions(entry: Entry): boolean {
  return (
    isInjected(entry) &&
    entry.parts.some(
      (part) =>
        hasText(part) && (injectedPart(part) === 'instructions' || part.text.includes('<system-reminder>')),
    )
  );
}

/** A text of a message on the user's side that no tool wrote, and that is not blank. */
export function isOwnText(part: Part): part is TextPart {
  return hasText(part) && injectedPart(part) === undefined;
}

function injectedPart(part: TextPart): InjectedKind | undefined {
  return toldKind(part) ?? injectedKind(part.text);
}

/** What the format itself says of it. */
function toldKind({ isInjected }: TextPart): InjectedKind | undefined {
  return isInjected === true ? 'instructions' : isInjected;
}

/** What a message is in which a user says nothing: of all its texts, as they stand one behind the other. */
export function injectedKindOf({ parts }: Entry): InjectedKind | undefined {
  const texts = parts.filter(hasText);
  const told = texts.flatMap((part) => toldKind(part) ?? []);
  return told.find((kind) => kind === 'instructions') ?? told[0] ?? injectedKind(joined(texts));
}

function hasText(part: Part): part is TextPart {
  return part.type === 'text' && part.text.trim() !== '';
}

function joined(parts: readonly Part[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

/**
 * What a tool has put into a message of the user. `instructions`: files and facts for the model, as `AGENTS.md`; `aside`:
 * reminders, what a local command printed, notes; `skill`: the text of a skill, for what was asked then; `output`: what
 * came of an action that the assistant wrote as text.
 */
type InjectedKind = 'instructions' | 'aside' | 'skill' | 'output';

/** Elements that tools write around such texts, as their sessions have them (Claude Code, Codex, Cline, OpenHands …). */
const elements: ReadonlyMap<string, InjectedKind> = new Map<string, InjectedKind>([
  ...(
    'environment_context user_instructions session_context REPOSITORY_INFO REPOSITORY_INSTRUCTIONS ' +
    'RUNTIME_INFORMATION EXTRA_INFO'
  )
    .split(' ')
    .map((name): [string, InjectedKind] => [name, 'instructions']),
  ...(
    'system-reminder local-command-caveat local-command-stdout local-command-stderr command-name command-message ' +
    'command-args bash-input bash-stdout bash-stderr ide_opened_file ide_selection ' +
    'ide_diagnostics user-prompt-submit-hook turn_aborted user_shell_command subagent_notification ' +
    'environment_details current_datetime system_reminder'
  )
    .split(' ')
    .map((name): [string, InjectedKind] => [name, 'aside']),
  ['skill', 'skill'],
]);

// What follows the command is the user's own.
const userElement = 'command-args';

// In front of the name of a command: a prompt that the user has asked for. Behind it: a command to the tool itself.
const promptElement = 'command-message';
const commandElement = 'command-name';

/**
 * The line that Codex writes in front of its elements: what follows those is the user's own. Behind it alone
 * `<INSTRUCTIONS>` is Codex's: users write elements of that name around their own prompts.
 */
const heading = /^# AGENTS\.md instructions\b[^\n]{0,1000}\n\s{0,9}(?=<)/;

const headedElements: ReadonlyMap<string, InjectedKind> = new Map([
  ...elements,
  ['INSTRUCTIONS', 'instructions'],
]);

/** What OpenCode attaches of a file or a folder: nothing follows its last element. */
const attachment = /^<path>[^<>\n]{1,1000}<\/path>\n<type>\w{1,20}<\/type>\n<(content|entries)>/;

/** How texts begin that have no element around all of them. */
const openings: readonly (readonly [RegExp, InjectedKind])[] = [
  [/^# AGENTS\.md instructions\b[^\n]{0,1000}\n\s{0,9}(?=[^<\s])/, 'instructions'],
  [/^This is the [\w .-]{1,40}\. We are setting up the context for our chat\./, 'instructions'],
  [/^This session is being continued from a previous conversation\b/, 'instructions'],
  [
    /^The conversation history before this point was compacted into the following summary:\s{0,9}<summary>/,
    'instructions',
  ],
  [
    /^The following is a summary of a branch that this conversation came back from:\s{0,9}<summary>/,
    'instructions',
  ],
  [
    /^Another language model started to solve this problem and produced a summary of its thinking process\. /,
    'instructions',
  ],
  [/^Caveat: The messages below were generated by the user while running local commands\b/, 'aside'],
  [/^\[Request interrupted by user\b[^\]]{0,40}\]\s{0,9}$/, 'aside'],
  [/^\[Image: (?:source|original)\b[^\]]{0,1000}\]\s{0,9}$/, 'aside'],
  [/^Base directory for this skill: /, 'skill'],
  [/^<task-notification>/, 'aside'],
  [/^Called the \w{1,40} tool with the following input: /, 'aside'],
  [/^--- Content from referenced files ---\n/, 'aside'],
  [/^Summarize the task tool output above and continue with your task\./, 'aside'],
  [/^Stop hook feedback:\s/, 'aside'],
  [/^System: Please continue\.\s{0,9}$/, 'aside'],
  [/^\[ERROR\] You did not use a tool in your previous response\b/, 'aside'],
  [/^<returncode>-?\d{1,10}<\/returncode>\s/, 'output'],
  // Reports of users have more such headings.
  [
    /^OBSERVATION:\n(?![^]{0,1100}\n(?:EXPECTED|EXPECTATION|ACTUAL|REQUEST|QUESTION|PROPOSAL|STEPS)\b[^\n]{0,40}:)/,
    'output',
  ],
  [/^The last command <command>/, 'output'],
  // An action in the wrong form was not carried out.
  [/^Please always provide EXACTLY ONE action in triple backticks\b/, 'aside'],
  [
    /^Format error:\s{1,9}(?:<error>|[^]{0,900}\b(?:Here is general guidance on|EXACTLY ONE action)\b)/,
    'aside',
  ],
  [
    /^Your output was not formatted correctly\. You must always include one discussion and one command\b/,
    'aside',
  ],
];

const returnCode = /^\s{0,9}<returncode>(-?\d{1,10})<\/returncode>\s{0,9}/;
const outputTags = /<\/?(?:output|output_head|output_tail|elided_chars|warning)>\n?/g;

/** What came of an action that is text, as a tool for commands would give it: without its frame. */
export function textOutput(text: string): string {
  const [head = '', code = '0'] = returnCode.exec(text) ?? [];
  if (head === '') return text.replace(shellPrompt, '').replace(/^\s{0,9}OBSERVATION:\n/, '');
  const output = text.slice(head.length).replace(outputTags, '').trim();
  return Number(code) === 0 ? output : `Exit code ${code}\n${output}`;
}

// The caveat in front of local commands, where an output lies, the status that a summary says: nothing of the session.
const idleFrames =
  /^Caveat: The messages below were generated by the user while running local commands\b[^\n]*|<(local-command-caveat|command-message|task-id|tool-use-id|output-file|status)>[^<]*<\/\1>|^Read the output file to retrieve the result: [^\n]*$/gm;
const frameTags =
  /<\/?(?:local-command-std(?:out|err)|command-(?:name|args)|bash-(?:input|stdout|stderr)|task-notification|summary)>/g;

// Nothing else has such frames: in instructions and skills the same tags are part of what they say.
const framed =
  /^\s{0,99}(?:<(?:task-notification|local-command-|command-name|command-message|bash-)|Caveat: )/;

/** What a tool says between messages, without what only frames it; empty where nothing is left. Other texts stay as they are. */
export function unframed(text: string): string {
  if (!framed.test(text)) return text;
  return withoutEscapes(text.replace(idleFrames, '').replace(frameTags, '')).trim();
}

/**
 * What SWE-agent shows behind the output of every command; behind the first request of a user too, which says at its
 * beginning what it is: further down such a word may stand in any file.
 */
const shellPrompt = /\n\(Open file: [^\n]{1,1000}\)\n\(Current directory: [^\n]{1,1000}\)\nbash-\$\s{0,9}$/;
const requestOpening = /^(?:We['’]re currently |(?:[^\n]{0,300}\n){0,3}(?:ISSUE|TASK|INSTRUCTIONS):)/;

/** The run of another session that SWE-agent shows in front of the first request. */
const demonstration =
  /^Here is a demonstration of [^\n]{1,200}\n(?:[^\n]{0,300}\n){0,5}--- DEMONSTRATION ---\n/;
const demonstrationEnd = '--- END OF DEMONSTRATION ---';

const longestName = 40;
const tag = /^<([\w-]{1,40})(?:\s[^<>]{0,200})?>/;

/**
 * Whether a tool wrote the whole of a text that stands in a message of the user, and what it is then; `undefined` for
 * the user's own words, and for words with something injected beside them. Decided by the form alone, as tools in common
 * use write it: who types such a text is taken for the tool, and nothing is lost by it. Linear.
 */
export function injectedKind(text: string): InjectedKind | undefined {
  const start = text.search(/\S/);
  if (start < 0) return undefined;
  const opening = text.slice(start, start + 1_200);
  const kind = openings.find(([pattern]) => pattern.test(opening))?.[1];
  if (kind !== undefined) return kind;
  if (demonstration.test(opening))
    return text.trimEnd().endsWith(demonstrationEnd) ? 'instructions' : undefined;
  if (shellPrompt.test(text.slice(-2_100)) && !requestOpening.test(opening)) return 'output';
  if (isPrintedDiff(text.slice(start))) return 'output';
  const attached = attachment.exec(opening)?.[1];
  if (attached !== undefined) return text.trimEnd().endsWith(`</${attached}>`) ? 'aside' : undefined;
  const headed = heading.exec(opening)?.[0];
  return headed === undefined
    ? kindOfElements(text, start, elements)
    : kindOfElements(text, start + headed.length, headedElements);
}

/** The kind of a text that is elements one behind the other and nothing else; instructions among them count. */
function kindOfElements(
  text: string,
  start: number,
  known: ReadonlyMap<string, InjectedKind>,
): InjectedKind | undefined {
  let found: InjectedKind | undefined;
  let isCommand = false;
  for (let at = start; at < text.length;) {
    const name = tag.exec(text.slice(at, at + longestName + 210));
    const kind = known.get(name?.[1] ?? '');
    if (!name || kind === undefined) return undefined;
    const closing = `</${name[1]}>`;
    const end = text.indexOf(closing, at);
    if (end < 0) return undefined;
    if (name[1] === userElement && text.slice(at + name[0].length, end).trim() !== '') return undefined;
    if (name[1] === promptElement && !isCommand) return undefined;
    isCommand ||= name[1] === commandElement;
    found = found === 'instructions' ? found : kind;
    at = end + closing.length;
    while (at < text.length && text.slice(at, at + 1).trim() === '') at += 1;
  }
  return found;
}

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
  if (nearest?.role === 'user' && isCommand(ownTexts(nearest).join('\n').trim())) return true;
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
