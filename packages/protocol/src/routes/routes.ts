import { contextRoutes } from './context-routes.ts';
import { messageRoutes } from './message-routes.ts';
import { proxyRoutes } from './proxy-routes.ts';
import { runRoutes } from './run-routes.ts';
import { sessionRoutes } from './session-routes.ts';
import { settingsRoutes } from './settings-routes.ts';
import type { AnswerSchema } from './route.ts';
import type { z } from 'zod';

/**
 * Every route of the API. What validates requests, types whoever answers them, and makes the OpenAPI document: a route
 * that is not here is not served, and one that is here and not served does not compile.
 */
export const routes = {
  ...messageRoutes,
  ...sessionRoutes,
  ...runRoutes,
  ...contextRoutes,
  ...proxyRoutes,
  ...settingsRoutes,
} as const;

export type Routes = typeof routes;
export type RouteName = keyof Routes;

/** Routes whose handler is one of the table. */
export type HandledRoute = {
  [Name in RouteName]: Routes[Name] extends { readonly isServedApart: true } ? never : Name;
}[RouteName];

type OutputOf<Spec, Key extends string> =
  Spec extends Readonly<Record<Key, infer Schema extends z.ZodType>> ? z.output<Schema> : undefined;

/** What a handler gets of a request: checked, and with nothing in it that the schema does not know. */
export interface Decoded<Name extends RouteName> {
  readonly params: OutputOf<Routes[Name], 'params'>;
  readonly query: OutputOf<Routes[Name], 'query'>;
  readonly body: OutputOf<Routes[Name], 'body'>;
}

/** What a handler answers with: one of the statuses of its route, with what that carries. */
export type Reply<Name extends RouteName> = {
  [Status in keyof Routes[Name]['answers']]: Routes[Name]['answers'][Status] extends infer Schema extends
    AnswerSchema
    ? Schema extends z.ZodType
      ? { readonly status: Status; readonly body: z.output<Schema> }
      : never
    : never;
}[keyof Routes[Name]['answers']];
