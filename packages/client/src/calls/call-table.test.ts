import { describe, expect, expectTypeOf, it } from 'vitest';
import { routes } from '@throughline/protocol';
import { callTable } from './call-table.ts';
import type { Calls, WaitAnswer } from './calls.ts';
import type { Decoded, Reply, Route } from '@throughline/protocol';
import type { Client } from '../create-client.ts';

/** Routes that are no call: what they carry is no JSON. Each has a method of its own. */
const apart = {
  subscribe: 'events',
  subscribeAll: 'events',
  getBlob: 'getBlob',
  exportSession: 'exportSession',
  importSession: 'importSession',
} as const;

type Fields<Value> = Value extends undefined ? Record<never, never> : Value;
type Asked<Name extends keyof Calls> = NonNullable<Parameters<Calls[Name]>[0]>;
type Answered<Name extends keyof Calls> = Awaited<ReturnType<Calls[Name]>>;
/** What a route takes, together. `?wait` is a method of its own. */
type Taken<Name extends keyof Calls> = Fields<Decoded<Name>['params']> &
  Fields<Decoded<Name>['body']> &
  (Name extends 'sendMessage' ? unknown : Fields<Decoded<Name>['query']>);
/** Names of calls that ask for something their route does not take, or promise something it does not answer. */
type Wrong = {
  [Name in keyof Calls]: Asked<Name> extends Taken<Name>
    ? Taken<Name> extends Asked<Name>
      ? Reply<Name>['body'] extends Answered<Name> | WaitAnswer
        ? never
        : Name
      : Name
    : Name;
}[keyof Calls];

describe('the calls of the client', () => {
  it('are the routes of the server', () => {
    const called = Object.entries(callTable).map(([name, { method, path }]) => [name, `${method} ${path}`]);
    const served = Object.entries(routes).flatMap(([name, { method, path }]) =>
      name in apart ? [] : [[name, `${method} ${path}`]],
    );
    expect(Object.fromEntries(called)).toEqual(Object.fromEntries(served));
    expectTypeOf<(typeof apart)[keyof typeof apart]>().toExtend<keyof Client>();
  });

  it('put into the query what their route looks for there', () => {
    for (const [name, { query = [] }] of Object.entries(callTable)) {
      const route: Route = routes[name as keyof Calls];
      const names = Object.keys(route.query?.shape ?? {}).filter((key) => key !== 'wait');
      expect(new Set(query), name).toEqual(new Set(names));
    }
  });

  it('ask for what their routes take, and promise what they answer', () => {
    expectTypeOf<Wrong>().toBeNever();
  });
});
