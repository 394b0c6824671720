import { RequestFault } from './wire/request-fault.ts';
import type { Agent } from '@throughline/agent';
import type { Services } from '../services.ts';

const defaultName = 'throughline';

/** The agents that requests may name as a model. */
export function agentsOf(
  { agent }: Pick<Services, 'agent'>,
  agents: Readonly<Record<string, Agent>> = { [defaultName]: agent },
): ReadonlyMap<string, Agent> {
  return new Map(Object.entries(agents));
}

/** Agents have no date: it is the same each time. */
const createdAt = '2026-01-01T00:00:00Z';

/** A model as its API lists it. */
export function oneModel(id: string, isAnthropic: boolean): object {
  if (isAnthropic) return { type: 'model', id, display_name: id, created_at: createdAt };
  return { id, object: 'model', created: Date.parse(createdAt) / 1_000, owned_by: 'throughline' };
}

export function modelList(ids: readonly string[], isAnthropic: boolean): object {
  const data = ids.map((id) => oneModel(id, isAnthropic));
  if (!isAnthropic) return { object: 'list', data };
  return { data, has_more: false, first_id: ids[0] ?? null, last_id: ids.at(-1) ?? null };
}

export function unknownModel(name: string, agents: ReadonlyMap<string, Agent>): RequestFault {
  const message = `There is no model ${JSON.stringify(name)}: ${[...agents.keys()].join(', ')}.`;
  return new RequestFault({ kind: 'unknown-model', message, param: 'model' });
}
