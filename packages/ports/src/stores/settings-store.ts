import type { Json } from '@throughline/core/codec';

/** Settings that hold for all sessions of the store, in whatever process. Plain JSON; what stands in them is the server's affair. */
export interface SettingsStore {
  /** What was kept last; `null` where nothing ever was. */
  read(): Promise<StoredSettings | null>;
  /**
   * Keeps settings where nobody has kept others since those with this revision were read (0: since there were none).
   * What was kept, or `null` where somebody was faster: then nothing is changed.
   */
  keep(revision: number, settings: Json): Promise<StoredSettings | null>;
}

/** Settings as they were kept. */
export interface StoredSettings {
  /** Counts up from 1 with each change. */
  readonly revision: number;
  readonly settings: Json;
}
