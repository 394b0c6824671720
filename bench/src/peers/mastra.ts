import { importPeer } from './import-peer.ts';
import { peerContender } from './peer-contender.ts';
import type { Contender } from '@throughline/replay';
import type { ModelMessage } from './model-message.ts';
import type { PeerOptions } from './peer-contender.ts';

/** A processor of the prompt that goes to the provider. Throws when nothing is left to send. */
interface Processor {
  processLLMRequest(request: {
    readonly prompt: readonly ModelMessage[];
    readonly state: Record<string | symbol, unknown>;
  }): Promise<{ readonly prompt: readonly ModelMessage[] } | undefined>;
}

interface MastraProcessors {
  readonly TokenLimiterProcessor: new (options: { limit: number }) => Processor;
  readonly ToolCallFilter: new (options: { filterAfterToolSteps: number }) => Processor;
}

const keepSteps = 10;

/** Mastra's processors: the token limiter with limit B, best fit as by default; the tool-call filter, last 10 steps. */
export async function mastraPeers(all: PeerOptions): Promise<Contender[]> {
  const options = { ...all, joinsResults: true };
  const loaded = (await importPeer('@mastra/core/processors')) as unknown as MastraProcessors;
  const { TokenLimiterProcessor, ToolCallFilter } = loaded;
  return [
    peerContender('Mastra TokenLimiter', options, ({ budgetTokens }) => {
      const limiter = new TokenLimiterProcessor({ limit: budgetTokens });
      return ({ history }) => processed(limiter, history);
    }),
    peerContender(`Mastra ToolCallFilter, last ${keepSteps}`, options, () => {
      const filter = new ToolCallFilter({ filterAfterToolSteps: keepSteps });
      return ({ history }) => processed(filter, history);
    }),
  ];
}

async function processed(
  processor: Processor,
  prompt: readonly ModelMessage[],
): Promise<readonly ModelMessage[] | undefined> {
  try {
    return (await processor.processLLMRequest({ prompt, state: {} }))?.prompt ?? prompt;
  } catch {
    return undefined; // the limiter's way to say that nothing fits
  }
}
