import { countOf } from '../terminal/numbers.ts';
import { createPage } from '../terminal/page.ts';
import { exitCode } from '../outcome/exit-code.ts';
import { excerptOf, faultSentence, jsonSchema, maskSecrets, showConfig } from '@throughline/config';
import { jsonText, printable, printableLines, widthOf } from '../terminal/text.ts';
import { loadConfig } from '../config/load-config.ts';
import { run } from '../composition/cli.ts';
import { trustQuestionOf } from '../config/trust.ts';
import type { Cli, CommonOptions } from '../composition/cli.ts';
import type { ExitCode } from '../outcome/exit-code.ts';
import type { LoadedConfig, Searched } from '../config/load-config.ts';
import type { Config, ConfigFault, Want } from '@throughline/config';
import type { TrustQuestion } from '../config/trust.ts';
import type { Page, Paint } from '../terminal/page.ts';

/** `throughline config check [FILE]`: what is configured, from where, and what is wrong with it. Starts nothing. */
export function configCheck(file: string | undefined, options: CommonOptions, cli: Cli): Promise<ExitCode> {
  return run(cli, options, async () => {
    const loaded = await loadConfig(cli, file);
    const question = await trustQuestionOf(loaded, cli);
    if (options.json === true)
      cli.out(jsonText({ version: 1, ...checkOf(loaded), ...(question && { untrusted: question.wants }) }));
    else {
      const page = createPage(cli, options);
      printConfigCheck(loaded, page, question);
      cli.out(page.text());
    }
    const { result } = loaded;
    if (result.type === 'config') return exitCode.ok;
    const name = loaded.file?.name ?? 'The environment';
    cli.err(`throughline: ${printable(name)} has ${countOf(result.faults.length, 'fault')}.\n`);
    return exitCode.notGood;
  });
}

function checkOf({ file, searched, result }: LoadedConfig): ConfigCheck {
  const { variables, warnings } = result;
  return {
    isValid: result.type === 'config',
    file: file?.path ?? null,
    searched,
    variables,
    config: result.type === 'config' ? maskSecrets(result.config) : null,
    faults: result.type === 'faults' ? result.faults : [],
    warnings,
  };
}

/** `throughline config schema`: the JSON schema for editors. */
export function configSchema(cli: Cli): ExitCode {
  cli.out(jsonText(jsonSchema()));
  return exitCode.ok;
}

/** Where the configuration is from, what it comes to, and what is wrong with it. */
function printConfigCheck(
  { file, searched, result }: LoadedConfig,
  page: Page,
  question: TrustQuestion | undefined,
): void {
  page.section('Configuration');
  page.field('file', file ? printable(file.path) : 'none: the defaults hold');
  for (const { path, state } of searched) {
    if (state === 'passed over') page.field('passed over', printable(path));
    if (state === 'absent' && !file) page.field('not there', printable(path), page.style.faint);
  }
  if (result.variables.length > 0) page.field('variables', result.variables.join(', '));
  const text = file?.text ?? '';
  if (result.type === 'faults') {
    page.section(countOf(result.faults.length, 'fault'));
    result.faults.forEach((fault) => printFault(fault, text, page, page.style.bad));
  }
  if (result.warnings.length > 0) {
    page.section(countOf(result.warnings.length, 'warning'));
    result.warnings.forEach((warning) => printFault(warning, text, page, page.style.warning));
  }
  if (question) {
    page.section(question.hasChanged ? 'Changed since it was trusted' : 'Not trusted yet');
    page.say('  These keys do not count until you trust the file; chat asks.', page.style.warning);
    for (const { key, value } of question.wants) page.say(`  ${printable(key)}: ${printable(value)}`);
  }
  if (result.type === 'config') {
    page.section(question ? 'What it comes to once it is trusted' : 'What it comes to');
    page.lines(printableLines(showConfig(result.config).trimEnd()).map((line) => `  ${line}`));
  }
}

function printFault(fault: ConfigFault, text: string, page: Page, paint: Paint): void {
  page.say(`  ${printable(faultSentence(fault))}`, paint);
  const excerpt = excerptOf(text, fault);
  if (!excerpt) return;
  const number = String(excerpt.line).padStart(6);
  const shown = printable(excerpt.text);
  // Wide characters before the caret push it along.
  const indent = widthOf(printable(excerpt.text.slice(0, excerpt.indent)));
  const caret = '^'.repeat(
    Math.max(1, widthOf(printable(excerpt.text.slice(excerpt.indent, excerpt.indent + excerpt.length)))),
  );
  if (number.length + 3 + widthOf(shown) > page.columns) return;
  page.lines([
    page.style.faint(`${number} | ${shown}`),
    `${' '.repeat(number.length)} | ${' '.repeat(indent)}${paint(caret)}`,
  ]);
}

/** What `config check --json` prints, beside `version`. */
interface ConfigCheck {
  readonly isValid: boolean;
  /** The file that was read; `null`: there is none, and the defaults hold. */
  readonly file: string | null;
  /** Every place that counts, in the order in which they are looked at. */
  readonly searched: readonly Searched[];
  /** Variables `THROUGHLINE_*` that set a key. */
  readonly variables: readonly string[];
  /** With every default filled in and secrets hidden; `null` where there are faults. */
  readonly config: Config | null;
  readonly faults: readonly ConfigFault[];
  readonly warnings: readonly ConfigFault[];
  /** Keys of the file that do not count until somebody trusts it; absent where there are none. */
  readonly untrusted?: readonly Want[];
}
