import { aiSdkPeers } from '../peers/ai-sdk.ts';
import { clinePeers } from '../peers/cline.ts';
import { deepAgentsPeers } from '../peers/langchain/deepagents.ts';
import { geminiCliPeers } from '../peers/gemini-cli.ts';
import { langChainPeers } from '../peers/langchain/langchain.ts';
import { mastraPeers } from '../peers/mastra.ts';
import { openaiAgentsPeers } from '../peers/openai-agents.ts';
import { piPeers } from '../peers/pi.ts';
import type { Contender } from '@throughline/replay';
import type { PeerOptions } from '../peers/peer-contender.ts';

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
