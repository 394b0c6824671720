import { oneLine } from '../text/cut-text.ts';
import { describeCall, membersOf, toolWords } from './calls.ts';
import { bareScript, isMasked } from './command-key.ts';
import { callInputValue, plainResultText } from '../transcript/entry-text.ts';
import type { CallPart, RecallId, ResultPart } from '../transcript/entry.ts';
import type { MadeOutside } from '../transcript/summary.ts';

// What the agent made outside the folder of its work, by commands and tools that are known to make such: pushes, branches,
// releases, issues and pull requests. No sentence about it counts.

const labelCharacters = 70;
const placeCharacters = 100;
const mostOutside = 6;
// Of an output: links and keys stand at its ends.
const readCharacters = 3_000;

interface Kind {
  /** From where a statement begins. */
  readonly command: RegExp;
  /** What an output says where the exit code of the command is not known. */
  readonly proof: RegExp;
  /** Where it is, by its output. */
  readonly place: RegExp | undefined;
}

const begin = String.raw`(?:^|[;&|({\n]|\b(?:do|then|else)\s)\s*(?:(?:[A-Za-z_]\w*=[^\s;&|]{0,200}|sudo|time|env|timeout \w{1,8})\s+){0,6}`;
const gitOptions = String.raw`(?:(?:-[cC] \S{1,200}|--[\w-]{1,40}(?:=\S{1,200})?) ){0,6}`;
const statement = (words: string): RegExp =>
  new RegExp(String.raw`${begin}((?:${words})(?![\w-])[^;&|\n)]{0,400})`, 'g');
const subjects = 'pr|mr|issue|ticket|release';
const deeds = 'create|new|edit|update|merge|comment|close|reopen|delete';
const link = /https?:\/\/[^\s"'`<>)\]\\]{4,200}/g;
// What `gh` prints of what it made: its link, or what it did to which.
const ownLine =
  /^(?:https?:\/\/\S{4,200}\/(?:pull|issues|merge_requests|releases)\/\S{1,100}|[✓!✔] .{0,200}[#!]\d.*)$/gm;
const ownLink = /^https?:\/\/\S{4,200}\/(?:pull|issues|merge_requests|releases)\/[^\s#]{1,100}/gm;
const numberedLink = /https?:\/\/\S{4,200}\/(?:pull|pulls|issues?|merge_requests|releases|browse)\//;
// `UTF-8` and the like are none.
const trackerKey = /\b(?!(?:UTF|SHA|ISO|RFC|AES|MD|GPT|CVE|CP|HTTP|TLS)-)[A-Z][A-Z0-9]{1,9}-\d{1,6}\b/g;
const pushed = /^ ?[ +*!=-] +\S.{0,200} -> \S.{0,200}$/gm;

const kinds: readonly Kind[] = [
  { command: statement(`git ${gitOptions}push`), proof: pushed, place: pushed },
  {
    command: statement(`(?:gh|glab) (?:${subjects}) (?:${deeds})`),
    proof: ownLine,
    place: ownLink,
  },
  {
    command: statement(
      String.raw`(?!gh |glab |echo |npm |yarn |pnpm )[\w-]{2,30} (?:${subjects}) (?:${deeds})`,
    ),
    proof: trackerKey,
    place: trackerKey,
  },
  {
    command: statement(`git ${gitOptions}worktree add`),
    proof: /^(?:Preparing worktree|HEAD is now at) /m,
    place: undefined,
  },
  {
    command: statement(`git ${gitOptions}(?:switch -[cC]|checkout -[bB])`),
    proof: /^Switched to a new branch /m,
    place: undefined,
  },
  {
    command: statement('(?:npm|pnpm|yarn|cargo|uv|poetry) publish'),
    proof: /^\+ \S{1,200}@\d/m,
    place: undefined,
  },
];

const onlyAsks = /\s(?:--help|-h|--dry-run)(?=\s|$)|^git push.*\s-n(?=\s|$)/;
const complaint =
  /^(?:error|fatal|remote: (?:error|fatal)|npm (?:error|ERR!)|GraphQL:|HTTP [45]\d\d)\b|\[rejected\]/im;
const nothingPushed = /^Everything up-to-date/m;

/** Notes what a call that did not fail has made outside; the same again stands once, at its last time. */
export function noteOutside(
  made: Map<string, MadeOutside>,
  call: CallPart,
  result: ResultPart,
  recallId: RecallId,
): void {
  const { command } = describeCall(call);
  const text = endsOf(plainResultText(result));
  const done = command === undefined ? madeByTool(call, text) : madeByCommand(command, text);
  for (const { label, place } of done) {
    made.delete(label);
    made.set(label, { recallId, label, ...(place === '' || label.includes(place) ? {} : { place }) });
    const oldest = made.keys().next().value;
    if (made.size > mostOutside && oldest !== undefined) made.delete(oldest);
  }
}

function endsOf(text: string): string {
  return text.length <= 2 * readCharacters
    ? text
    : `${text.slice(0, readCharacters)}\n${text.slice(-readCharacters)}`;
}

interface Made {
  readonly label: string;
  readonly place: string;
}

const mayMake = new RegExp(String.raw`push|worktree|switch|checkout|publish|(?:${subjects}) (?:${deeds})`);

function madeByCommand(command: string, text: string): Made[] {
  if (!mayMake.test(command)) return [];
  const { plain, quotes } = bareScript(command);
  const found = kinds.flatMap((kind) =>
    [...plain.matchAll(kind.command)].map((match) => ({
      kind,
      said: match[1] ?? '',
      end: match.index + match[0].length,
    })),
  );
  const done = found
    .filter(({ kind, said, end }) => !onlyAsks.test(said) && isDone(kind, plain, end, text))
    .toSorted((a, b) => a.end - b.end);
  // Of several of the same the last one stands for all, with what the output tells of them.
  return [...Map.groupBy(done, ({ said }) => deedOf(said)).values()].flatMap((same, at, all) => {
    const last = same.at(-1);
    if (!last) return [];
    const before = same.length === 1 ? '' : ` (and ${same.length - 1} more)`;
    const isLast = all.slice(at + 1).every((others) => others[0]?.kind !== last.kind);
    const place = isLast && last.kind.place ? placesIn(text, last.kind.place) : '';
    return [{ label: `${labelOf(last.said, quotes)}${before}`, place }];
  });
}

/** The program with what it does: `gh pr create`, `git push`. */
function deedOf(said: string): string {
  return said
    .split(/\s+/)
    .slice(0, said.startsWith('git ') ? 2 : 3)
    .join(' ');
}

function isDone({ proof, place }: Kind, plain: string, end: number, text: string): boolean {
  if (place === pushed && nothingPushed.test(text) && text.search(pushed) < 0) return false;
  if (!isMasked(plain, end)) return true;
  return text.search(proof) >= 0 && !complaint.test(text);
}

const title = /\s(?:--title|--subject|-t)[ =]("\d{1,4}"|[^\s"]{1,100})/;
const body = /\s--?(?:body(?:-file)?|b|d|description|notes(?:-file)?|F)[ =](?:\$?"\d{1,4}"|\$\S{1,100})/g;

/** A statement without texts that fill it: of an issue its title. */
function labelOf(said: string, quotes: readonly string[]): string {
  const words = said
    .replace(/\s\d?>{1,2} ?\S{1,200}/g, '')
    .replace(/(--force-with-lease)=\S{1,400}/, '$1')
    .replace(/\s+/g, ' ');
  const named = said.startsWith('git ') ? undefined : title.exec(words)?.[1];
  const told = named === undefined ? words : `${words.replace(/ -.*$/, '')} ${named}`;
  const plain = said.startsWith('git ') ? told : told.replace(body, '');
  return oneLine(
    plain.replace(/"(\d{1,4})"/g, (_, at: string) => quotes[Number(at)] ?? ''),
    labelCharacters,
  );
}

/** All of them, each once. */
function placesIn(text: string, pattern: RegExp): string {
  const told = [...text.matchAll(pattern)].map(([one]) =>
    one.replace(/^[ *+=!-]+|[.,;:]+$/g, '').replace(/(?<=\s)(\S{1,200}) +-> \1(?=\s|$)/, '$1'),
  );
  return oneLine([...new Set(told)].join(', '), placeCharacters);
}

const makingWords = new Set('create update edit write save add close merge submit'.split(' '));
const madeWords = new Set('issue issues ticket tickets pull pullrequest merge page pages release'.split(' '));
const lookingWords = new Set('get list search read view find fetch browser query'.split(' '));
const namingKeys = /^(?:issue_?(?:key|id|number)?|key|id|(?:pull_?)?number|title|summary|name)$/i;

/** A tool of a tracker or a wiki, by the words of its name: `create_issue`, `jira_update_ticket`. */
function madeByTool(call: CallPart, text: string): Made[] {
  const words = toolWords(call.name);
  const making = words.findIndex((word) => makingWords.has(word));
  const isMaking = making >= 0 && words.some((word, at) => at !== making && madeWords.has(word));
  if (!isMaking || words.some((word) => lookingWords.has(word))) return [];
  const named = Object.entries(membersOf(callInputValue(call)))
    .filter(([key, value]) => namingKeys.test(key) && /^(?:string|number)$/.test(typeof value))
    .map(([, value]) => String(value));
  const label = oneLine(
    [call.name.split('__').at(-1)?.replace(/^_/, ''), ...named.slice(0, 2)].join(' '),
    labelCharacters,
  );
  const links = [...text.matchAll(link)].map(([one]) => one);
  // What a person would open, of the addresses in an object.
  const place = links.find((one) => numberedLink.test(one) && !one.includes('api.')) ?? links[0];
  return [{ label, place: place ?? placesIn(text, trackerKey).split(', ')[0] ?? '' }];
}
