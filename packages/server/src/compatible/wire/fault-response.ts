import { faultStatus } from './request-fault.ts';
import type { Dialect } from './dialect.ts';
import type { Fault } from './request-fault.ts';

/** What an API says where something went wrong. */
export type Shape = Pick<Dialect, 'fault'>;

/** The agent has tried often enough: clients are told not to try again, but where another server may be there soon. */
export function faultResponse(
  shape: Shape,
  fault: Fault,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json(shape.fault(fault), {
    status: faultStatus[fault.kind],
    headers: { ...headers, 'x-should-retry': String(fault.kind === 'stopping') },
  });
}
