import { headersOf, isFault, problemOf } from './problem-of.ts';

/** An error as an answer: problem details, whatever it was. Those that nobody foresaw are told to `onFault`. */
export function answerProblem(error: unknown, onFault: (error: unknown) => void): Response {
  if (isFault(error)) onFault(error);
  const problem = problemOf(error);
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: {
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      ...headersOf(error),
    },
  });
}
