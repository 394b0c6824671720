export { problems } from './problems.ts';
export type { ProblemCode, ProblemKind } from './problems.ts';
export { openApiDocument, problemsOf } from './routes/openapi.ts';
export { otherRoutes } from './routes/other-routes.ts';
export { problemHelp } from './problem-help.ts';
export { routes } from './routes/routes.ts';
export type { Decoded, HandledRoute, Reply, RouteName, Routes } from './routes/routes.ts';
export type { AnswerSchema, Route } from './routes/route.ts';
export type { Fault, Problem } from './types/problem.ts';
