import { countOf, formatNumber } from '../terminal/numbers.ts';
import { createPage } from '../terminal/page.ts';
import { onEachFile } from './each-file.ts';
import { run } from '../composition/cli.ts';
import { inspectSession } from '../inspect/inspect-session.ts';
import { jsonText } from '../terminal/text.ts';
import { openSession } from '../reading/open-session.ts';
import { printInspection } from '../inspect/print-inspection.ts';
import type { Cli, CommonOptions } from '../composition/cli.ts';
import type { ExitCode } from '../outcome/exit-code.ts';
import type { Inspection } from '../inspect/inspection.ts';
import type { ReadOptions } from '../reading/open-session.ts';

export interface InspectOptions extends CommonOptions, ReadOptions {
  readonly window?: number;
}

/** `throughline inspect FILE…`: where the tokens went. A broken file among several does not stop the others. */
export function inspect(files: readonly string[], options: InspectOptions, cli: Cli): Promise<ExitCode> {
  return run(cli, options, async () => {
    const { results, good, worst } = await onEachFile(files, options, cli, {
      work: async (file) => inspectSession(await openSession(file, options, cli), options),
      print: printInspection,
    });
    const total = totalOf(good);
    if (options.json === true) cli.out(jsonText({ version: 1, files: results, total }));
    else if (files.length > 1) printTotal(total, files.length - good.length, options, cli);
    return worst;
  });
}

interface Total {
  readonly files: number;
  readonly messages: number;
  readonly tokens: number;
}

function totalOf(inspections: readonly Inspection[]): Total {
  return {
    files: inspections.length,
    messages: inspections.reduce((sum, { session }) => sum + session.messages, 0),
    tokens: inspections.reduce((sum, { tokens }) => sum + tokens.total, 0),
  };
}

function printTotal(
  { files, messages, tokens }: Total,
  failed: number,
  options: InspectOptions,
  cli: Cli,
): void {
  const page = createPage(cli, options);
  page.section('In all');
  const broken = failed === 0 ? '' : `; ${countOf(failed, 'file')} could not be read`;
  page.say(
    `${countOf(files, 'file')}, ${countOf(messages, 'message')}, ≈ ${formatNumber(tokens)} tokens${broken}`,
  );
  cli.out(`\n\n${page.text()}`);
}
