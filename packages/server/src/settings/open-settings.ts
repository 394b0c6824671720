import { errorFields } from '../server-log.ts';
import type { ServerLog } from '../server-log.ts';
import type { ServerSettings } from './server-settings.ts';
import type { Services } from '../services.ts';

/** How often a process looks whether another has changed the settings. */
const lookEveryMs = 2_000;

/** Where the settings of a server are. What works them out is loaded when somebody asks, or has changed something. */
interface OpenedSettings extends Disposable {
  readonly load: () => Promise<ServerSettings>;
}

/** What every way into the server works with, and the settings that they are served by. */
export interface OpenedServices extends Services {
  readonly settings: OpenedSettings;
}

/**
 * What the server begins with is what is configured, and what was kept in the store goes before it: at once, and within
 * seconds where another process keeps something. A store that is away, or cannot read what was kept, is told to the log.
 */
export async function openSettings(
  services: Pick<Services, 'agent' | 'models'>,
  log: ServerLog,
): Promise<OpenedSettings> {
  const { settings: live, store } = services.agent;
  const begun = live.get();
  let loaded: Promise<ServerSettings> | undefined;
  const load = (): Promise<ServerSettings> =>
    (loaded ??= import('./server-settings.ts').then(
      ({ ServerSettings: Settings }) => new Settings(services, begun),
    ));
  const look = async (): Promise<void> => {
    if (!loaded && !(await store.settings?.read())) return;
    const held = await load();
    const before = held.refused;
    await held.refresh();
    if (held.refused === before) return;
    for (const { name, message } of held.refused)
      log.warn({ setting: name }, `The setting ${name} was kept and cannot be had now: ${message}`);
  };
  const tell = (error: unknown): void => log.warn(errorFields(error), 'Kept settings could not be read');
  await look().catch(tell);
  let isLooking = false;
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    void look()
      // The store is away: whoever needs it tells of it.
      .catch(() => undefined)
      .finally(() => (isLooking = false));
  }, lookEveryMs);
  timer.unref();
  return { load, [Symbol.dispose]: () => clearInterval(timer) };
}
