import { copySession, copySettings, isSameStore, sessionIds } from '../store/copy-sessions.ts';
import { countOf } from '../terminal/numbers.ts';
import { createPage, createProgress } from '../terminal/page.ts';
import { exitCode } from '../outcome/exit-code.ts';
import { jsonText, printable } from '../terminal/text.ts';
import { requireTwoStores, sameStore, shownStore, storeAt } from '../store/store-address.ts';
import { run } from '../composition/cli.ts';
import type { Cli, CommonOptions } from '../composition/cli.ts';
import type { CopiedSession, Outcome } from '../store/copy-sessions.ts';
import type { ExitCode } from '../outcome/exit-code.ts';

export interface StoreCopyOptions extends CommonOptions {
  readonly fromBlobs?: string;
  readonly toBlobs?: string;
  readonly replace?: boolean;
}

/** `throughline store copy FROM TO`: all sessions of all owners, into a store of another kind. */
export function storeCopy(
  [typedFrom, typedTo]: readonly [string, string],
  options: StoreCopyOptions,
  cli: Cli,
): Promise<ExitCode> {
  return run(cli, options, async () => {
    const from = storeAt(typedFrom, options.fromBlobs, cli);
    const to = storeAt(typedTo, options.toBlobs, cli);
    requireTwoStores(from, to);
    const signal = cli.watchInterrupts();
    const { openStoreFrom, ids } = await cli.compose();
    await using source = await openStoreFrom(from);
    await using target = await openStoreFrom(to);
    if (await isSameStore(source, target, ids.nextId('copy'))) throw sameStore();
    const copied = await copyAll(
      { source, target, signal, replaces: options.replace === true },
      createProgress(cli),
    );
    const settings = await copySettings(source, target);
    const names = { from: shownStore(from), to: shownStore(to) };
    if (options.json === true) cli.out(jsonText({ version: 1, ...names, ...listed(copied), settings }));
    else cli.out(pageOf({ ...names, settings }, copied, options, cli));
    const isWhole = copied.every(({ outcome }) => whole.has(outcome));
    return isWhole ? exitCode.ok : exitCode.notGood;
  });
}

const whole: ReadonlySet<Outcome> = new Set(['copied', 'present', 'gone']);

interface Copying {
  readonly source: Parameters<typeof copySession>[0];
  readonly target: Parameters<typeof copySession>[1];
  readonly signal: AbortSignal;
  readonly replaces: boolean;
}

async function copyAll(
  { source, target, signal, replaces }: Copying,
  progress: ReturnType<typeof createProgress>,
): Promise<readonly CopiedSession[]> {
  const copied: CopiedSession[] = [];
  try {
    progress.say('Looking for sessions …');
    const all = await sessionIds(source);
    for (const id of all) {
      progress.say(`${copied.length} of ${countOf(all.length, 'session')} · ${id}`);
      copied.push(await copySession(source, target, id, { signal, replaces }));
    }
    return copied;
  } finally {
    progress.clear();
  }
}

/** What `--json` prints beside `version`, `from` and `to`. */
function listed(copied: readonly CopiedSession[]): object {
  const of = (...outcomes: readonly Outcome[]): readonly CopiedSession[] =>
    copied.filter(({ outcome }) => outcomes.includes(outcome));
  const idsOf = (outcome: Outcome): readonly string[] => of(outcome).map(({ id }) => id);
  return {
    sessions: copied.length,
    copied: of('copied', 'altered').length,
    present: of('present').length,
    gone: of('gone').length,
    bytes: of('copied', 'altered').reduce((sum, { bytes }) => sum + bytes, 0),
    different: idsOf('different'),
    altered: idsOf('altered'),
    unreadable: of('unreadable').map(({ id, reason }) => ({ id, reason })),
    atWork: copied.filter(({ isAtWork }) => isAtWork).map(({ id }) => id),
  };
}

const megabyte = 1_000_000;

function pageOf(
  { from, to, settings }: { readonly from: string; readonly to: string; readonly settings: boolean },
  copied: readonly CopiedSession[],
  options: StoreCopyOptions,
  cli: Cli,
): string {
  const page = createPage(cli, options);
  const of = (outcome: Outcome): readonly CopiedSession[] =>
    copied.filter((session) => session.outcome === outcome);
  const count = (outcome: Outcome): string => countOf(of(outcome).length, 'session');
  const bytes = of('copied').reduce((sum, session) => sum + session.bytes, 0);
  page.section(`Copied ${count('copied')}`);
  page.field('from', printable(from));
  page.field('to', printable(to));
  page.field('as text', `${(bytes / megabyte).toFixed(1)} MB, the same out of both`);
  if (settings) page.field('settings', 'those that were kept, as none were kept there');
  if (of('present').length > 0) page.field('there already', `${count('present')}, the same`);
  if (of('gone').length > 0) page.field('deleted meanwhile', count('gone'));
  for (const outcome of ['different', 'altered', 'unreadable'] as const)
    for (const { id, reason } of of(outcome))
      page.field(labels[outcome], printable(`${id}: ${reason ?? explained[outcome]}`), page.style.warning);
  for (const { id } of copied.filter(({ isAtWork }) => isAtWork))
    page.field('at work', printable(`${id}: what its run writes from now on is not in the copy`));
  page.section('What stays behind');
  page.say(
    '  Permissions and open questions (they are asked again), what waits in memory, and what the proxy keeps: its ' +
      'clients send their histories again, and are compacted anew.',
  );
  return page.text();
}

const labels = { different: 'another', altered: 'altered', unreadable: 'not read' } as const;

const explained = {
  different: 'one of this id is there with other content, and stays; --replace copies this one over it',
  altered: 'it came out with other letters than it went in, as a NUL in a title does on Postgres',
  unreadable: 'it cannot be read',
} as const;
