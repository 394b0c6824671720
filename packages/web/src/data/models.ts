import { loadableOf } from './loadable.ts';
import { useMemo } from 'react';
import { usePageData } from './page-data.tsx';
import { useQuery } from '@tanstack/react-query';
import type { Loadable } from './loadable.ts';
import type { ModelList, SwitchModelAnswer } from '@throughline/client';

/** Models that a session can have. */
export function useModels(): Loadable<ModelList> {
  const { client } = usePageData();
  const { data, error } = useQuery({
    queryKey: ['models'],
    queryFn: ({ signal }) => client.listModels({}, { signal }),
    staleTime: 60_000,
  });
  return loadableOf({ data, error });
}

/** The demo calls itself `demo:scripted` in a session and `demo` in the list. */
export function listedName(model: string, names: readonly string[]): string {
  const [first = ''] = model.split(':', 1);
  return !names.includes(model) && names.includes(first) ? first : model;
}

/** Goes on with another model; before a smaller window the one that was there compacts. */
export function useSwitchModel(sessionId: string): (model: string) => Promise<SwitchModelAnswer> {
  const { client } = usePageData();
  return useMemo(() => (model) => client.switchModel({ id: sessionId, model }), [client, sessionId]);
}
