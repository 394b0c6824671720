import type * as OpenTelemetry from '@opentelemetry/api';
import type { DiscoveredLimits, Overflow } from '@throughline/drivers';
import type {
  Clock,
  Driver,
  IdSource,
  ModelDriver,
  RetryPolicy,
  SessionStore,
  Timer,
} from '@throughline/ports';
import type { Config, EndpointModel, ModelConfig, PostgresConfig, StoreConfig } from '@throughline/config';
import type { ModelLimits } from '@throughline/core/types';
import type { PostgresFacts } from '@throughline/stores/postgres';
import type { SessionPrompt } from '@throughline/agent';

export type { PostgresFacts };

export interface DriverOptions {
  /**
   * The window that is believed in at the time of a step. @default that of {@link Composition.limitsOf}, where somebody
   * states one
   */
  readonly windowTokens?: () => number | undefined;
  /** Asked for the window when the server has cut a prompt. Must not throw. @default nobody is asked */
  readonly discoverWindow?: () => Promise<number | undefined>;
  /** How patiently a step is tried again. @default as `withRetry` does it */
  readonly retry?: RetryPolicy;
}

/** What a server says when it is asked for its models. */
export type EndpointAnswer =
  /** `models` is empty where it tells none. */
  | { readonly type: 'answered'; readonly status: number; readonly models: readonly string[] }
  /** It does not take the key, or wants one. */
  | { readonly type: 'refused'; readonly status: number; readonly message: string }
  | { readonly type: 'unreachable'; readonly reason: string };

/** What a configuration is made into: the places that name a vendor or a database, behind plain interfaces. */
export interface Composition {
  /** The model as a driver with all wrappers; nothing is sent. */
  readonly createDriverFrom: (model: ModelConfig, options?: DriverOptions) => ModelDriver;
  /** The same driver for summaries; with `session` a question may use the prefix that its provider has cached. */
  readonly createSummariserFrom: (driver: ModelDriver, session?: SessionPrompt) => Driver;
  /**
   * Opens the store, and makes its folders and the file where they are not there.
   *
   * @throws {ContextError} `store-failed` or `store-version`
   */
  readonly openStoreFrom: (store: StoreConfig) => Promise<SessionStore>;
  /**
   * What a database says of itself; nothing is made in it.
   *
   * @throws {ContextError} `store-failed`
   */
  readonly lookAtDatabase: (store: PostgresConfig) => Promise<PostgresFacts>;
  /** Asks the server for its models, with the key. Never throws. */
  readonly askEndpoint: (model: EndpointModel, signal?: AbortSignal) => Promise<EndpointAnswer>;
  /** What the server says of the model. `undefined` when it says nothing. Never throws. */
  readonly discoverLimitsOf: (
    model: EndpointModel,
    signal?: AbortSignal,
  ) => Promise<DiscoveredLimits | undefined>;
  /** What an error of a model's server says about a request that is too large; `undefined` where it says nothing of that. */
  readonly readOverflow: (error: unknown) => Overflow | undefined;
  /** The limits in force, and where each is from. */
  readonly limitsOf: (model: ModelConfig, discovered?: DiscoveredLimits) => ModelLimits;
  /** Begins to send spans and metrics where that is configured. */
  readonly startTelemetry: (config: Config['telemetry'], problems?: Problems) => Promise<StartedTelemetry>;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly ids: IdSource;
}

/** Where it is told that something cannot be sent; a logger is one. */
export interface Problems {
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
}

export interface StartedTelemetry extends AsyncDisposable {
  /** What `createTelemetry` of the agent takes. Without an `api` nothing is traced. */
  readonly options: { readonly api?: typeof OpenTelemetry; readonly capturesContent: boolean };
}
