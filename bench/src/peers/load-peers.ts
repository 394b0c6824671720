import { importPeer } from './import-peer.ts';
import { installPeers, peersFolder } from './install-peers.ts';
import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import type { ModelMessage } from './model-message.ts';

/** `pruneMessages` of the AI SDK, as far as it is used here. */
export type PruneMessages = (options: {
  readonly messages: readonly ModelMessage[];
  readonly reasoning?: 'all' | 'before-last-message' | 'none';
  readonly toolCalls?: 'all' | 'before-last-message' | `before-last-${number}-messages` | 'none';
  readonly emptyMessages?: 'keep' | 'remove';
}) => ModelMessage[];

/** Mastra's `TokenLimiterProcessor`: it works on the prompt of the provider interface. Throws when nothing fits. */
type CreateTokenLimiter = (limitTokens: number) => {
  processLLMRequest(request: {
    readonly prompt: readonly ModelMessage[];
  }): Promise<{ prompt: readonly ModelMessage[] } | undefined>;
};

/** A message class of LangChain. */
export interface LangChainMessage {
  readonly content: unknown;
  readonly tool_calls?: readonly { readonly args: unknown; readonly name: string }[];
}

export type TokenCounter = (messages: readonly LangChainMessage[]) => number;

export interface LangChain {
  readonly trimMessages: (
    messages: readonly LangChainMessage[],
    options: {
      readonly maxTokens: number;
      readonly tokenCounter: TokenCounter;
      readonly strategy: 'last' | 'first';
      readonly includeSystem?: boolean;
    },
  ) => Promise<readonly LangChainMessage[]>;
  readonly HumanMessage: new (fields: object) => LangChainMessage;
  readonly SystemMessage: new (fields: object) => LangChainMessage;
  readonly AIMessage: new (fields: object) => LangChainMessage;
  readonly ToolMessage: new (fields: object) => LangChainMessage;
}

/** What could be loaded, and a sentence on each that could not. */
export interface Peers {
  readonly pruneMessages?: PruneMessages;
  readonly createTokenLimiter?: CreateTokenLimiter;
  readonly langChain?: LangChain;
  readonly versions: Readonly<Record<string, string>>;
  readonly notes: readonly string[];
}

/** Installs and loads the packages in `bench/peers`. Whatever fails is left out and named. */
export async function loadPeers(): Promise<Peers> {
  const failure = installPeers();
  if (failure !== undefined) return { versions: {}, notes: [failure] };
  const notes: string[] = [];
  const load = async (specifier: string): Promise<Record<string, unknown> | undefined> => {
    try {
      return await importPeer(specifier);
    } catch (error) {
      notes.push(`${specifier} could not be loaded and is left out: ${String(error)}`);
      return undefined;
    }
  };
  const ai = await load('ai');
  const mastra = await load('@mastra/core/processors');
  const langChain = await load('@langchain/core/messages');
  const Limiter = mastra?.['TokenLimiterProcessor'] as
    | (new (options: { limit: number }) => ReturnType<CreateTokenLimiter>)
    | undefined;
  return {
    ...(ai ? { pruneMessages: ai['pruneMessages'] as PruneMessages } : {}),
    ...(Limiter ? { createTokenLimiter: (limit) => new Limiter({ limit }) } : {}),
    ...(langChain ? { langChain: langChain as unknown as LangChain } : {}),
    versions: versionsOf(),
    notes,
  };
}

/** The pinned versions, by package. */
export function versionsOf(): Record<string, string> {
  const manifest = JSON.parse(readFileSync(join(peersFolder, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  return manifest.dependencies;
}
