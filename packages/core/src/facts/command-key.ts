/** What stands in quotes in a command. */
export const quotedText = /'[^']*'|"(?:[^"\\]|\\.)*"/g;

const redirections = /\s*\d?&?>{1,2}\s*(?:&\d|\/dev\/null)/g;
const shaping = /\s*\|\s*(?:tail|head|grep|rg|cat|tee|less|sort|wc|sed|awk)\b.*$/s;

/** A command without what only shapes its output: `npm test 2>&1 | tail -20` is `npm test`. */
export function plainCommand(command: string): string {
  return command
    .slice(0, 4_000)
    .replace(redirections, '')
    .replace(shaping, '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 200);
}

// What starts a program without being it.
const starters = new Set('sudo time nice env npx bunx command exec'.split(' '));
const runners = new Set('uv poetry pipenv pdm hatch rye'.split(' '));
const execRunners = new Set('npm pnpm yarn bundle'.split(' '));
const scriptRunners = new Set('npm pnpm yarn bun'.split(' '));
const flag = /^-/;
const assignment = /^\w+=/;
const shapingFlag =
  /^--?(?:reporters?|colou?rs?|tb|format|output|log-?level|verbosity|maxfail|durations|workers|jobs|max-?workers|(?:test-?)?timeout)$/i;

// Of an environment, a tool chain or a package: where a program lies says nothing of what it does.
const programFolder = /^(?:.{0,300}\/)?(?:node_modules\/\.bin|s?bin)\/(?=[^/]+$)/;

/** The words of a command that say what is run on what, however that is spelt: `npx tsc` is `tsc`. */
function tellingWords(part: string): string[] {
  const words = part
    .replace(/^[\s(]+|[\s)]+$/g, '')
    .split(' ')
    .filter((word) => word !== '');
  const program = words.slice(programAt(words));
  const first = (program[0] ?? '').replace(programFolder, '').replace(/^\.\//, '');
  const told = [first.replace(/^python\d[\d.]*$/, 'python')];
  for (let index = 1; index < program.length; index += 1) {
    const word = (program[index] ?? '').replace(/["']/g, '').replace(/^\.\//, '');
    // `ssh -o ConnectTimeout=5 host`
    const isSetting = word === '-o' && /^[A-Za-z]+=/.test(program[index + 1] ?? '');
    if (isSetting || shapingFlag.test(word)) index += 1;
    else if (flag.test(word)) {
      const value = word.slice(word.indexOf('=') + 1);
      if (word.includes('=') && !shapingFlag.test(word.slice(0, word.indexOf('=')))) told.push(value);
    } else if (word !== '') told.push(word);
  }
  const isScript = scriptRunners.has(told[0] ?? '') && /^run(?:-script)?$/.test(told[1] ?? '');
  return isScript ? [told[0] ?? '', ...told.slice(2)] : told;
}

function programAt(words: readonly string[]): number {
  let at = 0;
  for (; at < words.length - 1; at += 1) {
    const word = words[at] ?? '';
    const next = words[at + 1] ?? '';
    if (starters.has(word) || assignment.test(word) || (at > 0 && flag.test(word))) continue;
    if (word === 'timeout' || (runners.has(word) && next === 'run')) at += 1;
    else if (/^python[\d.]*$/.test(word) && next === '-m') at += 1;
    else if (execRunners.has(word) && (next === 'exec' || next === 'dlx')) at += 1;
    else break;
  }
  return at;
}

const joint = ' && ';
const moves = /^\(?\s*cd\s/;

const writtenFile =
  /^\s*cat\s*>{1,2}\s*\S{1,400}\s*<<-?\s*(['"]?)(\w{1,40})\1[^\S\n]*\n(?:[^\n]*\n)*?[^\S\n]*\2[^\S\n]*(?:\n|$)/;
const longestScript = 20_000;
// Of what is left then: a quote or a heredoc without its end is looked for up to here, from each place where one begins.
const longestCommand = 4_000;

/** A script without the files that it writes before it runs something (`cat > a <<'EOF'`). */
export function behindWrittenFiles(script: string): string {
  if (script.length > longestScript) return script;
  const rest = script.replace(writtenFile, '').trim();
  if (rest === '' || rest === script.trim()) return script;
  return behindWrittenFiles(rest);
}

const heredocStart = /<<-?[^\S\n]*(['"]?)(\w{1,40})\1/g;

/** A script without the bodies of its heredocs; `mark` stands for each. Linear. */
export function withoutHeredocs(script: string, mark = ''): string {
  if (!script.includes('<<')) return script;
  const lines = script.split('\n');
  // The first place of each line last: what is done with is taken off the end.
  const places = Map.groupBy([...lines.keys()].reverse(), (at) => (lines[at] ?? '').trim());
  const kept: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const start = [...line.matchAll(heredocStart)].find(
      ([, , word = '']) => placeBehind(places.get(word), at) >= 0,
    );
    kept.push(start ? line.slice(0, start.index) + mark + line.slice(start.index + start[0].length) : line);
    if (start) at = placeBehind(places.get(start[2] ?? ''), at);
  }
  return kept.join('\n');
}

/** The first of the places behind one, -1 where there is none; those up to it are done with. */
function placeBehind(places: number[] = [], at: number): number {
  while (places.length > 0 && (places.at(-1) ?? 0) <= at) places.pop();
  return places.at(-1) ?? -1;
}

/** A command without the texts in it: each stands as its number, between quotes. */
export interface BareScript {
  readonly plain: string;
  readonly quotes: readonly string[];
}

/** A script without PowerShell's texts of several lines. Linear. */
function withoutHereStrings(script: string): string {
  let rest = script;
  for (const quote of ["'", '"']) {
    const kept: string[] = [];
    let at = 0;
    for (;;) {
      const start = rest.indexOf(`@${quote}\n`, at);
      const end = start < 0 ? -1 : rest.indexOf(`\n${quote}@`, start + 2);
      if (end < 0) break;
      kept.push(rest.slice(at, start));
      at = end + 3;
    }
    rest = [...kept, rest.slice(at)].join('""');
  }
  return rest;
}

export function bareScript(command: string): BareScript {
  const quotes: string[] = [];
  const short = withoutHereStrings(withoutHeredocs(command.slice(0, longestScript)));
  const plain = short
    .slice(0, longestCommand)
    .replace(quotedText, (text) => `"${quotes.push(text) - 1}"`)
    .replace(/\s?\d?>&\d/g, '')
    // A comment may name anything.
    .replace(/(^|\s)#[^\n]*/g, '$1')
    .replace(/\\\n\s*/g, ' ');
  return { plain, quotes };
}

const shellFrame = /^\s*(?:do|then|else|done|fi|esac|\}|#.*)(?:\s+|$)/;

/** The commands of a script, one behind the other whatever comes of them. */
function statements(script: string): string[] {
  const whole = behindWrittenFiles(script.slice(0, longestScript)).slice(0, longestCommand);
  const plain = withoutHeredocs(whole.replace(/\\\n/g, ' ')).replace(quotedText, (quoted) =>
    quoted.replace(/[;\n]/g, ' '),
  );
  return plain
    .split(/[;\n]/)
    .map((statement) => statement.replace(shellFrame, ''))
    .filter((statement) => statement.trim() !== '');
}

function parts(command: string): string[] {
  return statements(command).flatMap(chained);
}

function chained(statement: string): string[] {
  const all = plainCommand(statement).split(/\s?&&\s?/);
  return all.filter((part) => part !== '' && !moves.test(part));
}

// `npm test; printf 'exit=%s' "$?"`
const onlyTells = /^(?:echo|printf)\b/;

/**
 * What is verified: the programs that verify something (all, where none is known to) and what they are run on. Of a chain
 * that failed what follows them, too: it may be what failed. What only narrows it down (`-t "one"`) is something else.
 */
export function checkKey(command: string, verifies: (part: string) => boolean, hasFailed: boolean): string {
  const all = parts(command);
  const behind = all.slice(Math.max(0, all.findIndex(verifies)));
  const verifying = hasFailed ? behind.filter((part) => !onlyTells.test(part)) : all.filter(verifies);
  return (verifying.length === 0 ? all : verifying).map(partKey).join(joint);
}

/** Whether a chain holds all that another key names: `make clean && make` fails as `make` did. */
export function isPartOf(key: string, chain: string): boolean {
  const all = new Set(chain.split(joint));
  return key.split(joint).every((one) => all.has(one));
}

/** The checks of a chain. */
export function partsOf(key: string): string[] {
  return key.split(joint);
}

/** The key of a chain of checks when one of them has passed by itself; `undefined` where that is none of them, or all. */
export function withoutPart(key: string, part: string): string | undefined {
  if (!key.includes(joint)) return undefined;
  const all = key.split(joint);
  const left = all.filter((one) => one !== part);
  return left.length > 0 && left.length < all.length ? left.join(joint) : undefined;
}

const taskRunners = new Set('mise just task turbo nx moon rake composer deno make'.split(' '));

/** The task that a key names and nothing beside it; scripts of a package are the same whoever runs them. */
function taskOf(key: string): { readonly runner: string; readonly task: string } | undefined {
  const [first = '', ...rest] = key.split(' ');
  const runner = scriptRunners.has(first) ? 'npm' : first;
  if (runner !== 'npm' && !taskRunners.has(runner)) return undefined;
  const [task, ...others] = /^(?:run|task)$/.test(rest[0] ?? '') ? rest.slice(1) : rest;
  return task === undefined || others.length > 0 ? undefined : { runner, task };
}

// `[lint:types] …` (mise, and what runs several beside each other), `> app@1.0.0 lint:types` (npm, pnpm).
const taskLine = /^(?:\[([\w:./-]{1,60})\] |> (?:\S{1,100}@\S{1,40} )?([\w:-]{1,60})(?: \/\S*)?$)/gm;
const outputCharacters = 40_000;

/** The tasks that an output says were run. */
export function tasksRun(output: string): ReadonlySet<string> {
  const told = output.slice(0, outputCharacters).matchAll(taskLine);
  return new Set([...told].map(([, task = '', script = '']) => task + script));
}

// `test:e2e` and `build:docs` are often no part of `test` and `build`.
const wholes = new Set(['lint', 'check', 'verify', 'validate']);

/** Whether a key is that of a task that may have run others. */
export function mayCoverTasks(key: string, ran: ReadonlySet<string>): boolean {
  const task = taskOf(key)?.task;
  return task !== undefined && (ran.size > 0 || wholes.has(task));
}

/**
 * Whether a task that went well has run another: where its output names that one, or where it names no part and the other
 * is one by its name (`lint:types` of `lint`).
 */
export function coversTask(whole: string, part: string, ran: ReadonlySet<string>): boolean {
  const wide = taskOf(whole);
  const narrow = taskOf(part);
  if (!wide || !narrow || wide.runner !== narrow.runner || wide.task === narrow.task) return false;
  if (ran.has(narrow.task)) return true;
  const inside = `${wide.task}:`;
  const namesParts = [...ran].some((task) => task.startsWith(inside));
  return wholes.has(wide.task) && narrow.task.startsWith(inside) && !namesParts;
}

const testFile =
  /(?:test|spec)[^/]{0,80}\.\w{1,5}(?:$|:)|(?:^|\/)(?:tests?|specs?)\/.{0,200}\.\w{1,5}(?:$|:)/i;
const runnerWords = new Set(
  'npm pnpm yarn bun test run jest vitest mocha ava playwright pytest unittest python node tsx'.split(' '),
);

/** The key of a check, taken apart. */
export interface CheckWords {
  readonly words: readonly string[];
  /** The test files, or the packages of Go, that one run is about; none for a chain. */
  readonly files: readonly string[];
  readonly isChain: boolean;
}

export function checkWords(key: string): CheckWords {
  const words = key.split(' ');
  const isChain = words.includes('&&');
  const isGo = words[0] === 'go' && words[1] === 'test';
  const isFile = (word: string): boolean => testFile.test(word) || (isGo && word.includes('/'));
  return { words, files: isChain ? [] : words.filter(isFile), isChain };
}

/**
 * Whether a run of `later` tells of everything that another, of test files, told of: all its files, by themselves or by a
 * folder that they lie in, by whatever runner, or the whole that they belong to. What is no run of test files is covered by
 * nothing but itself.
 */
export function coversRun(later: CheckWords, { words: then, files }: CheckWords): boolean {
  if (files.length === 0 || later.isChain) return false;
  const { words: now } = later;
  if (later.files.length === 0 && now.every((word, at) => word === then[at])) return true;
  const targets = new Set(now.filter((word) => files.some((file) => reaches(word, file))));
  if (!files.every((file) => [...targets].some((target) => reaches(target, file)))) return false;
  const isAimed = (word: string): boolean => targets.has(word) || later.files.includes(word);
  return now.every((word) => isAimed(word) || runnerWords.has(word) || then.includes(word));
}

/** Whether what is run holds a file: the file itself, one of its tests, a folder, or the packages of Go below one. */
function reaches(target: string, file: string): boolean {
  if (target === file || target === '...' || file.startsWith(`${target}::`)) return true;
  const folder = target.replace(/(?:\/|\/\.\.\.)$/, '');
  const isFolder = folder !== target || !runnerWords.has(target);
  return isFolder && folder !== '' && `${file}/`.startsWith(`${folder}/`);
}

/** One program of a chain: what it verifies, and what it is. */
export interface CommandPart {
  readonly check: string;
  readonly program: string;
}

/** The parts of a chain: where it succeeds all of them do. */
export function commandParts(command: string): CommandPart[] {
  return parts(command).map((part) => ({ check: partKey(part), program: programOf(part) }));
}

// What is done where it fails says nothing of what it is.
const elseNothing = /\s*\|\|\s*(?:true|:|(?:echo|printf|exit)\b.*)$/s;

function partKey(part: string): string {
  return tellingWords(part.replace(elseNothing, '')).join(' ');
}

// Where a chain stops it is hardly ever at one of these.
const hardlyFails = /^(?:echo|export|source|mkdir|true|sleep|git (?:add|stash|status|fetch|diff|log))\b/;

/**
 * What failed, as program and sub-command. Of a chain those of its parts where it may have stopped: the one that the line
 * names (`failed to push`), else all that do more than prepare the others. A later success of one of them leaves open
 * whether the chain stands where it stood.
 */
export function failureKey(command: string, line: string): string {
  // The exit code is that of the last command.
  const programs = chained(statements(command).at(-1) ?? '').map(programOf);
  const doing = programs.filter((program) => !hardlyFails.test(program));
  const possible = doing.length === 0 ? programs : doing;
  const named = possible.filter((program) => line.split(/\W+/).includes(program.split(' ').at(-1) ?? ''));
  return [...new Set(named.length > 0 ? named : possible)].join(joint);
}

// A merge that stopped at conflicts ends with a commit.
const endedByCommit = new Set(['git merge', 'git pull', 'git cherry-pick', 'git revert']);

interface Told {
  readonly key: string;
  /** The command, as far as it is told. */
  readonly label: string;
  /** What it said. */
  readonly line: string;
}

/** Whether a failure is over when these programs succeed: of commands that name what they are about, about the same. */
export function isSettledBy(
  { key, label, line }: Told,
  programs: ReadonlySet<string>,
  succeeded: string,
): boolean {
  const isMerged = programs.has('git commit') && /conflict/i.test(line);
  const failed = key.split(joint);
  if (isMerged && failed.some((one) => endedByCommit.has(one))) return true;
  const settled = failed.filter((one) => programs.has(one));
  // What stands in the way in a repository is no branch or file of it.
  return settled.some((one) => one.startsWith('git ') || isAboutSame(label, succeeded));
}

function isAboutSame(label: string, other: string): boolean {
  const objects = objectsOf(label);
  const others = objectsOf(other);
  return objects.size === 0 || others.size === 0 || [...objects].some((object) => others.has(object));
}

/** What a command is about: files, packages, modules. A value in quotes is said in other words the next time. */
function objectsOf(label: string): ReadonlySet<string> {
  const told = parts(label.replace(/^\$ /, '').replace(quotedText, '').replace(redirected, ' '));
  const objects = told.flatMap((part) => tellingWords(part).slice(programOf(part).split(' ').length));
  // Another version of the same is the same.
  return new Set(objects.map((object) => object.replace(/(?<=.)(?:[=~<>!]=|@)[\w.*^~-]+$/, '')));
}

const redirected = /\s*\d?[<>]{1,2}\s*\S+/g;

// They show what there is, or end what runs. One that failed says nothing about the work any more when the user has asked for something else.
const probes =
  /^(?:gh (?:search|(?:\w+ )?(?:view|list|status|checks|diff))(?: .*)?|(?:npm|pnpm|yarn|bun) (?:view|info|ls|list|why|search)|pip (?:show|list)|(?:docker|podman) (?:ps|logs|inspect|images)|kubectl (?:get|describe|logs)|(?:rg|grep|ls|cat|head|tail|stat|file|which|type|jq|yq|ps|tree|nc|ping|dig|host|nslookup|traceroute|nmap|lsof|netstat|ss|pgrep|pkill|killall|kill|wait|sleep|test|\[)(?: .*)?|git (?:log|show|diff|status|ls-files|rev-parse|cat-file|blame|grep))$/;

/** Whether what failed only looked: a search, a list. */
export function isProbe(key: string): boolean {
  return key.split(joint).every((program) => probes.test(program));
}

const inlineScript = /\s(?:-[ec]|--eval|--print)\s/;

// `gh pr edit`: what is done stands in the third word.
const threeWordPrograms = new Set('gh aws gcloud az'.split(' '));

function programOf(part: string): string {
  const words = tellingWords(part);
  // A script in the command line is written anew each time: only its program is the same.
  if (inlineScript.test(part)) return words[0] ?? '';
  return words.slice(0, threeWordPrograms.has(words[0] ?? '') ? 3 : 2).join(' ');
}

const shellComplaint =
  /^(?:(?:error|fatal): [^\n]{1,300}|[^\n]{1,200}: (?:(?:command )?not found|No such file or directory|Permission denied))$/m;

/**
 * What the shell complained of when it ran what stands in backticks in a text in double quotes (`-m "Mend \`parse\`"`);
 * `undefined` where it did not. The command itself ends as if all were well, with another text than was meant.
 */
export function ranInQuotes(command: string, output: string): string | undefined {
  if (!command.includes('`')) return undefined;
  const plain = withoutHeredocs(command.slice(0, longestScript)).replace(/\\[\s\S]/g, '');
  const isRun = plain.match(/'[^']*'|"[^"]*"/g)?.some((text) => text.startsWith('"') && text.includes('`'));
  return isRun === true ? shellComplaint.exec(output.slice(0, longestScript))?.[0] : undefined;
}

/** Whether the exit code of a command is not that of its program: something runs behind it, whatever came of it. */
export function isMasked(command: string, programEnd: number): boolean {
  const rest = command
    .slice(programEnd, programEnd + 8_000)
    .replace(quotedText, '""')
    .replace(/\d?>&\d|&>/g, '')
    .replaceAll('&&', '');
  return /[|;&\n]\s*\S/.test(rest) || rest.trimEnd().endsWith('&');
}
