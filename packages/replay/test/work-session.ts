import { call, result, user } from './test-views.ts';

const tools = ['read', 'search', 'bash'] as const;

/** A coding session without a random bit: requests, and behind each `stepsPerTurn` calls with results of about 300 tokens. */
export function workSession(turns: number, stepsPerTurn = 10): unknown[] {
  return Array.from({ length: turns }, (_, turn) => [
    user(`Request ${turn}: fix src/part-${turn}/index.ts. Never touch vendor/${turn}.`),
    ...Array.from({ length: stepsPerTurn }, (__, step) => stepOf(turn, step)).flat(),
    {
      role: 'assistant',
      content: `src/part-${turn}/index.ts is fixed; ticket WORK-${100 + turn} can be closed.`,
    },
  ]).flat();
}

function stepOf(turn: number, step: number): unknown[] {
  const id = `call-${turn}-${step}`;
  const path = `src/part-${turn}/file-${step}.ts`;
  const lines = Array.from(
    { length: 20 },
    (_, line) =>
      `${line}: export const value_${turn}_${step}_${line} = compute(${line * 37 + step}, '${path}');`,
  );
  // Now and then something from far back is looked at again.
  const earlier = turn > 0 && step % 4 === 0 ? { near: `src/part-0/file-${step}.ts` } : {};
  return [call(id, { path, ...earlier }, tools[step % tools.length]), result(id, lines.join('\n'))];
}
