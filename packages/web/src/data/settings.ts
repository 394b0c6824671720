import { failureOf, loadableOf, mapLoadable } from './loadable.ts';
import { ProblemError } from '@throughline/client';
import { useQuery } from '@tanstack/react-query';
import { usePageData } from './page-data.tsx';
import type { ChangeSettingsRequest, Settings } from '@throughline/client';
import type { Failure, Loadable } from './loadable.ts';

const settingsKey = ['settings'] as const;

/** What holds for all sessions of this server. */
export function useSettings(): Loadable<Settings> {
  const { client } = usePageData();
  const { data, error } = useQuery({
    queryKey: settingsKey,
    queryFn: ({ signal }) => client.getSettings({}, { signal }),
  });
  return loadableOf({ data, error });
}

/** Names of the strategies that there are. */
export function useStrategies(): Loadable<readonly string[]> {
  return mapLoadable(useSettings(), ({ strategies }) => strategies);
}

/** What the server says of a change: done, or what is wrong with which field. */
export type ChangeOutcome =
  | { readonly type: 'changed' }
  | {
      readonly type: 'refused';
      readonly failure: Failure;
      /** A sentence by the name of the setting, as `budget.target`. */
      readonly faults: Readonly<Record<string, string>>;
    };

export type ChangeSettings = (change: ChangeSettingsRequest) => Promise<ChangeOutcome>;

/** Changes settings; the server checks all of it, and takes all of it or nothing. */
export function useChangeSettings(): ChangeSettings {
  const { client, queries } = usePageData();
  return async (change) => {
    try {
      queries.setQueryData(settingsKey, await client.changeSettings(change));
      // A model that was named is one that sessions can have.
      if (change.model !== undefined || change.summariser !== undefined)
        void queries.invalidateQueries({ queryKey: ['models'] });
      return { type: 'changed' };
    } catch (error) {
      return { type: 'refused', failure: failureOf(error), faults: faultsOf(error) };
    }
  };
}

/** From the JSON pointers of the problem. */
function faultsOf(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof ProblemError)) return {};
  const { faults = [] } = error.problem;
  return Object.fromEntries(faults.map(({ path, message }) => [nameAt(path), message]));
}

function nameAt(pointer: string): string {
  const steps = pointer.slice(1).split('/');
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')).join('.');
}
