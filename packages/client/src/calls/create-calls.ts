import { callTable } from './call-table.ts';
import { jsonOf } from '../http/http.ts';
import type { CallOptions, Calls } from './calls.ts';
import type { CallRow } from './call-table.ts';
import type { Http, HttpRequest } from '../http/http.ts';

type Fields = Readonly<Record<string, unknown>>;
type AnyCall = (request?: Fields, options?: CallOptions) => Promise<unknown>;

/** A function for every row of the table. */
export function createCalls(http: Http): Calls {
  const callOf =
    (row: CallRow): AnyCall =>
    async (request = {}, { signal } = {}) => {
      const response = await http.send({ ...requestOf(row, request), signal });
      return await jsonOf(response);
    };
  const calls = Object.entries(callTable).map(([name, row]) => [name, callOf(row)]);
  return Object.fromEntries(calls) as Calls;
}

/** Fields that stand in the address, in the query, and in the body. */
function requestOf({ method, path, query = [] }: CallRow, fields: Fields): HttpRequest {
  const rest = { ...fields };
  const take = (name: string): unknown => {
    const value = rest[name];
    delete rest[name];
    return value;
  };
  const address = path.replace(/:(\w+)/g, (_, name: string) => segmentOf(name, take(name)));
  const search = Object.fromEntries(query.map((name) => [name, take(name) as string | undefined]));
  const hasBody = method !== 'GET' && Object.keys(rest).length > 0;
  return { method, path: address, query: search, ...(hasBody ? { body: rest } : {}) };
}

/** An empty one would lead to another route, and so would dots. */
function segmentOf(name: string, value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string' || /^\.{0,2}$/.test(value))
    throw new TypeError(`${name} must be an id, and is ${JSON.stringify(value)}.`);
  return encodeURIComponent(value);
}
