import { describeFaults } from './describe-faults.ts';
import { RequestRefused } from '../problems/request-refused.ts';
import type { Place } from './describe-faults.ts';
import type { Route } from '@throughline/protocol';
import type { ServerContext } from '../server-env.ts';
import type { z } from 'zod';

/** What a request says, checked by the schemas of its route. @throws {RequestRefused} with every fault */
export async function decodeRequest(
  route: Route,
  context: ServerContext,
): Promise<{ readonly params: unknown; readonly query: unknown; readonly body: unknown }> {
  const params = checked(route.params, context.req.param(), 'path');
  const query = checked(route.query, queryOf(context), 'query');
  const body = route.body && checked(route.body, await bodyOf(route, context), 'body');
  return { params, query, body };
}

function checked(schema: z.ZodType | undefined, value: unknown, place: Place): unknown {
  if (!schema) return undefined;
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const faults = describeFaults(read.error.issues, place);
  const [first] = faults;
  const more = faults.length > 1 ? ` And ${faults.length - 1} more.` : '';
  const where = first?.path === '' ? 'the body' : (first?.path ?? '');
  throw new RequestRefused('invalid-request', `${where}: ${first?.message ?? ''}.${more}`, { faults });
}

/** A name that is given twice is a list, which no schema takes. */
function queryOf({ req }: ServerContext): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(req.queries()).map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  );
}

async function bodyOf(route: Route, { req, var: { readJson } }: ServerContext): Promise<unknown> {
  const isEmpty = req.header('content-type') === undefined && req.header('transfer-encoding') === undefined;
  if (route.isBodyOptional === true && isEmpty) return {};
  const type = req.header('content-type') ?? '';
  if (!/^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(type))
    throw new RequestRefused(
      'unsupported-media-type',
      'Say what the body is: `Content-Type: application/json`.',
      {
        faults: [{ path: 'header.content-type', message: 'expected application/json' }],
      },
    );
  return await readJson();
}
