/** What holds for all sessions. Every field is named here, and none of them is a key, an address or a header. */
export interface Settings extends LiveSettings {
  /** The model that sessions begin with. */
  readonly model: string;
  /** Those that a session can have. */
  readonly models: readonly string[];
  /** Strategies that there are. */
  readonly strategies: readonly string[];
  /** Tools that the model is offered, and what is done with a call of each. */
  readonly tools: readonly { readonly name: string; readonly approval: 'allow' | 'ask' | 'deny' }[];
  /** Limits of one run. */
  readonly limits: {
    readonly maxSteps: number;
    /** `null`: none. */
    readonly maxDurationMs: number | null;
    /** For a last step in which the model says what it has. */
    readonly graceMs: number;
  };
  /**
   * Names of the settings that are not as configured, as `strategy`, `budget.target`, `byModel.NAME.windowTokens`,
   * `limits.maxSteps` and `approvals.bash`; all others are at their defaults.
   */
  readonly changed: readonly string[];
  /** Whether the caller may change settings. */
  readonly canChange: boolean;
  /** Whether models can be named that the configuration does not have. */
  readonly canName: boolean;
  /** Whether what is changed is kept in the store, for the next start and for other processes on it. */
  readonly isKept: boolean;
  /** Settings that were kept and cannot be had now: they are as configured. They are kept on until they are changed. */
  readonly refused: readonly RefusedSetting[];
  /** Models that were named in the settings; `null` is what is configured. */
  readonly named: { readonly model: TakenModel | null; readonly summariser: TakenModel | null };
}

export interface RefusedSetting {
  /** As it is called in a request to change it, as `model`. */
  readonly name: string;
  /** Why, in a sentence. */
  readonly message: string;
}

/** What is different for one model; what is left out is as for all. */
export interface ModelThresholds {
  readonly windowTokens?: number;
  readonly budget: SettingsBudget;
}

/** A model by its name, and where it is. A key is never sent: it stands in the environment of the server. */
export interface NamedModel {
  /** As `anthropic:claude-sonnet-5`. */
  readonly name: string;
  /** Where its server is. @default that of the provider, or the configured one of the same provider */
  readonly baseUrl?: string;
  /** Tokens that it accepts, prompt and answer together. @default what the server says, else the catalogue */
  readonly windowTokens?: number;
}

export interface TakenModel extends NamedModel {
  /** What is worth knowing of it, as that its server does not list it. */
  readonly note?: string;
}

interface LiveSettings {
  /** Who writes summaries: code, the model of the session, or a model of its own. */
  readonly summariser: 'code' | 'same' | 'model';
  readonly strategy: string;
  /** When the strategy acts by itself. */
  readonly trigger: 'overflow' | 'threshold' | 'manual';
  /** `null`: that of the model. */
  readonly windowTokens: number | null;
  readonly budget: SettingsBudget;
  /** What is different for some models, by their names. */
  readonly byModel: Readonly<Record<string, ModelThresholds>>;
  /** `false`: nothing is compacted unless the user asks. */
  readonly auto: boolean;
  /** Summaries are written ahead of need. */
  readonly background: boolean;
  /** The model is told how much room is left. */
  readonly showsBudget: boolean;
}

/** What is left out is as the engine decides by the window. */
export interface SettingsBudget {
  readonly requestMaxTokens?: number;
  readonly outputReserveTokens?: number;
  readonly safetyTokens?: number;
  readonly thresholdTokens?: number;
  readonly target?: number;
  readonly softThreshold?: number;
  readonly keepTokens?: number;
  readonly keepTurns?: number;
  readonly leastGainTokens?: number;
  readonly summaryTokens?: number;
}

interface ModelThresholdsChange {
  readonly windowTokens?: number | null;
  readonly budget?: Nullable<SettingsBudget> | null;
}

type Nullable<Fields> = { readonly [Name in keyof Fields]: Fields[Name] | null };

interface RunLimits {
  readonly maxSteps?: number;
  readonly maxDurationMs?: number;
  readonly graceMs?: number;
}

/** What is named changes, the rest stays. `null` is what is configured. */
export interface ChangeSettingsRequest {
  /** One of `strategies`, with its usual options; the configured one comes back with its own. */
  readonly strategy?: string | null;
  /** `configured`: the configured one; `same`: the model of the session. */
  readonly summariser?: 'code' | 'same' | 'configured' | NamedModel | null;
  /** The model of sessions that are opened from then on. It has to be there, and its key in the environment of the server. */
  readonly model?: NamedModel | null;
  readonly windowTokens?: number | null;
  readonly budget?: Nullable<SettingsBudget> | null;
  /** By the names of models, as the list of models has them; what is named of them changes. */
  readonly byModel?: Readonly<Record<string, ModelThresholdsChange | null>> | null;
  readonly auto?: boolean | null;
  readonly background?: boolean | null;
  readonly showsBudget?: boolean | null;
  /** By the name of the tool. Special questions (files that programs obey, secrets) are asked in any case. */
  readonly approvals?: Readonly<Record<string, 'allow' | 'ask' | 'deny' | null>> | null;
  /** Limits of runs that begin from then on. */
  readonly limits?: Nullable<RunLimits> | null;
}
