import type { Json } from '@throughline/core';
import type { ModelFinish } from '@throughline/ports';

/** What the demo model does in one step. */
export interface DemoTurn {
  readonly reasoning?: string;
  readonly text?: string;
  readonly calls?: readonly DemoCall[];
  /** @default 'tool-calls' where there are calls, else 'stop' */
  readonly finish?: ModelFinish;
  /** The step fails, with what a server would say, after what was said. */
  readonly failure?: { readonly status?: number; readonly message: string };
}

export interface DemoCall {
  readonly name: string;
  readonly input: { readonly [key: string]: Json };
}
