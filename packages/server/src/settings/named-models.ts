import { RequestRefused } from '../problem-of.ts';
import type { Agent } from '@throughline/agent';
import type * as wire from '@throughline/protocol/types';
import type { Models, TakenModel } from '../services.ts';

type Held = ReturnType<Agent['settings']['get']>;

interface Named {
  readonly asked: wire.NamedModel;
  readonly taken: TakenModel;
}

/** What was chosen of the models in the settings. */
export interface ModelChoices {
  /** `null`: the configured one. */
  readonly model: Named | null;
  readonly summariser: 'configured' | 'code' | 'same' | Named;
}

export const configuredModels: ModelChoices = { model: null, summariser: 'configured' };

type Asked = Pick<wire.ChangeSettingsRequest, 'model' | 'summariser'>;

interface Answering {
  /** `false`: its server may be away just now. */
  readonly mustAnswer: boolean;
}

/** What a request changes of the choices; all that it names is there. @throws {RequestRefused} with the field */
export async function askedModels(
  { model, summariser }: Asked,
  models: Models,
  answering: Answering = { mustAnswer: true },
): Promise<Partial<ModelChoices>> {
  const named = (asked: wire.NamedModel, path: string): Promise<Named> =>
    namedModel(asked, path, { models, answering });
  return {
    ...(model !== undefined && { model: model && (await named(model, '/model')) }),
    ...(summariser !== undefined && {
      summariser:
        typeof summariser === 'object' && summariser
          ? await named(summariser, '/summariser')
          : (summariser ?? 'configured'),
    }),
  };
}

/** What a setting that was kept says of the choices; nothing where it is about something else. */
export async function keptModels(
  { model = null, summariser = null }: Asked,
  name: string,
  models: Models,
): Promise<Partial<ModelChoices>> {
  const said: Readonly<Record<string, Asked>> = { model: { model }, summariser: { summariser } };
  return await askedModels(said[name] ?? {}, models, { mustAnswer: false });
}

interface Around {
  readonly models: Models;
  readonly answering: Answering;
}

async function namedModel(asked: wire.NamedModel, path: string, around: Around): Promise<Named> {
  const taken = await around.models.take?.(asked, around.answering);
  if (taken?.type === 'taken') return { asked, taken };
  const { field, message } = taken ?? {
    field: 'name',
    message: 'No model can be named here: those that there are stand in the configuration.',
  };
  throw new RequestRefused('invalid-request', message, { faults: [{ path: `${path}/${field}`, message }] });
}

/** What would hold of the model and the summaries if only the model were another one. */
export function withModel(begun: Held, { model }: ModelChoices): Held {
  if (!model) return begun;
  const { driver, summarisers } = model.taken;
  return { ...begun, driver, summariser: summarisers.configured };
}

/** Who writes summaries by the choices. */
export function chosenSummariser(
  { model, summariser }: ModelChoices,
  configured: Held,
  models: Models,
): Held['summariser'] {
  if (summariser === 'configured') return configured.summariser;
  if (summariser === 'code') return { type: 'code' };
  if (summariser !== 'same') return summariser.taken.summarisers.own;
  return model?.taken.summarisers.same ?? models.same ?? configured.summariser;
}

/** As it is told. */
export function encodeNamed({ model, summariser }: ModelChoices): wire.Settings['named'] {
  return { model: encode(model), summariser: typeof summariser === 'string' ? null : encode(summariser) };
}

function encode(named: Named | null): wire.TakenModel | null {
  if (!named) return null;
  const { asked, taken } = named;
  return { ...asked, ...(taken.note !== undefined && { note: taken.note }) };
}
