import { aiSdkPeers } from './ai-sdk.ts';
import { clinePeers } from './cline.ts';
import { deepAgentsPeers } from './langchain/deepagents.ts';
import { geminiCliPeers } from './gemini-cli.ts';
import { langChainPeers } from './langchain/langchain.ts';
import { mastraPeers } from './mastra.ts';
import { openaiAgentsPeers } from './openai-agents.ts';
import { piPeers } from './pi.ts';
import type { Contender } from '@throughline/replay';
import type { PeerOptions } from './peer-contender.ts';

/** Every peer: the package it comes from, and how it becomes a contender. A new one is a new row. */
const adapters: readonly (readonly [name: string, load: (options: PeerOptions) => Promise<Contender[]>])[] = [
  ['AI SDK', aiSdkPeers],
  ['Mastra', mastraPeers],
  ['LangChain', langChainPeers],
  ['deepagents', deepAgentsPeers],
  ['OpenAI Agents', openaiAgentsPeers],
  ['pi', piPeers],
  ['Gemini CLI', geminiCliPeers],
  ['Cline', clinePeers],
];

/** The peers that could be loaded, and a sentence on each that could not. */
export async function allPeers(
  options: PeerOptions,
): Promise<{ readonly contenders: readonly Contender[]; readonly notes: readonly string[] }> {
  const contenders: Contender[] = [];
  const notes: string[] = [];
  for (const [name, load] of adapters) {
    try {
      contenders.push(...(await load(options)));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      notes.push(`${name} could not be loaded and is left out: ${reason.split('\n')[0]}`);
    }
  }
  return { contenders, notes };
}
