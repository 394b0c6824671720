import { oneLine } from '../text/cut-text.ts';
import { bareScript } from './command-key.ts';

// Programs that a shell leaves running: `server &`, and what ends them.

interface Start {
  readonly kind: 'start';
  readonly program: string;
  readonly label: string;
  /** With what is set for it: a port, a folder. */
  readonly command: string;
}

interface End {
  readonly kind: 'end';
  /** Whether what was started so may have ended by it. */
  readonly ends: (started: string) => boolean;
}

const labelCharacters = 100;
const commandCharacters = 400;

/** What a command starts and ends, one behind the other. */
export function programSteps(command: string): (Start | End)[] {
  const { plain, quotes } = bareScript(command);
  const restored = (text: string): string =>
    text.replace(/"(\d{1,4})"/g, (_, at: string) => quotes[Number(at)] ?? '');
  const marked = plain.replace(/[<>]&|&>/g, (mark) => mark.replace('&', '\u0001'));
  return marked
    .split(/(?<=(?<!&)&(?!&))|&&|\|\||[;\n]/)
    .flatMap((part) => stepOf(part.replaceAll('\u0001', '&').trim(), restored) ?? []);
}

const endsShell = /^(?:wait|fg)\b/;
const endsProgram =
  /^(?:(?:then|do|else) )?(?:sudo )?(?:kill|pkill|killall|fuser|taskkill|Stop-Process)\b|\|\s*xargs (?:-\S{1,8} )*kill\b/;

function stepOf(part: string, restored: (text: string) => string): Start | End | undefined {
  if (endsShell.test(part)) return { kind: 'end', ends: () => true };
  if (endsProgram.test(part)) return { kind: 'end', ends: endedBy(restored(part)) };
  return /\s&$/.test(part) ? startOf(part.slice(0, -1).trim(), restored) : undefined;
}

/** What a `kill` names: programs, or the port at which they listen; all, where it names numbers that say nothing. */
function endedBy(said: string): (started: string) => boolean {
  const port = /(?:\s-\w{0,3}i\s?(?:tcp)?:|\bfuser (?:-\S{1,8} )*)([\d,]{2,60})/i.exec(said)?.[1];
  const named = /\b(?:pkill|killall|pgrep)\s+(?:-{1,2}\S{1,20}\s+){0,6}["']?([^\s"')|;&]{1,100})/.exec(
    said,
  )?.[1];
  if (named === undefined && port === undefined) return () => true;
  // Of a pattern every word may be it; a port may be one that the command does not tell.
  const words = (named ?? port ?? '').split(/[^\w-]+/).filter((word) => word.length > 1);
  return (started) =>
    words.some((word) => started.includes(word)) || (named === undefined && !/\d{4}/.test(started));
}

// They end by themselves, or show something.
const shortLived = new Set(
  'timeout curl wget sleep echo printf cat tail open xdg-open code true cd export git grep kill ssh-add eval'.split(
    ' ',
  ),
);
const runners = new Set(
  'node python python3 npm pnpm yarn npx bun bunx deno uv go cargo java ruby php make docker poetry rails flask uvicorn gunicorn dotnet ./gradlew mvn just'.split(
    ' ',
  ),
);
const redirection = /\s*\d?&?>{1,2}(?:&\d|\s?\S{1,200})|\s*<\s?\S{1,200}/g;
const setting = /^(?:[A-Za-z_]\w*=\S*|nohup|setsid|env|exec|sudo|time|stdbuf|-\S+)$/;

function startOf(part: string, restored: (text: string) => string): Start | undefined {
  // What runs in a group or a loop is not told by its first word.
  if (/^[({]|^(?:for|while|until|if|do|then)\b/.test(part)) return undefined;
  const words = (part.split('|')[0] ?? '').replace(redirection, '').trim().split(/\s+/);
  const at = words.findIndex((word) => !setting.test(word));
  const first = words[at]?.replace(/^.*\//, '') ?? '';
  if (at < 0 || shortLived.has(first) || !/^[\w.+-]{2,60}$/.test(first)) return undefined;
  const operands = words.slice(at + 1).filter((word) => !word.startsWith('-'));
  const program = [first, ...(runners.has(first) ? operands.slice(0, 2) : [])].join(' ');
  return {
    kind: 'start',
    program: restored(program),
    label: oneLine(restored(`$ ${words.slice(at).join(' ')} &`), labelCharacters),
    command: restored(part).slice(0, commandCharacters),
  };
}
