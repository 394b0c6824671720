// A Postgres for programs that are no tests: prints its address and its process as JSON, then the rows of each statement
// that comes as a line of JSON, and ends with its standard input.
import { createInterface } from 'node:readline';
import { askPostgres, startOwnPostgres } from '@throughline/testkit';

const [settings = '{}'] = process.argv.slice(2);
const postgres = await startOwnPostgres(JSON.parse(settings) as Readonly<Record<string, string>>);
const say = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value)}\n`);
if (typeof postgres === 'string') say({ missing: postgres });
else {
  say({ url: postgres.url, pid: postgres.pid() });
  for await (const line of createInterface({ input: process.stdin }))
    say(await askPostgres(postgres.url, JSON.parse(line) as string));
  await postgres[Symbol.asyncDispose]();
}
