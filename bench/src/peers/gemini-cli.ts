import { argumentsOf, outputText, partsOf } from './model-message.ts';
import { importPeer } from './import-peer.ts';
import { join } from 'node:path';
import { peerContender } from './peer-contender.ts';
import { tmpdir } from 'node:os';
import type { Contender, FakeSummariser } from '@throughline/replay';
import type { MessageFormat } from './message-format.ts';
import type { ModelMessage, ModelPart } from './model-message.ts';
import type { PeerOptions, PeerSetting, PeerStep } from './peer-contender.ts';

interface GeminiPart {
  readonly text?: string;
  readonly functionCall?: { readonly id: string; readonly name: string; readonly args: unknown };
  readonly functionResponse?: {
    readonly id: string;
    readonly name: string;
    readonly response: { readonly output?: string };
  };
}

interface Content {
  readonly role: 'user' | 'model';
  readonly parts: readonly GeminiPart[];
}

interface Compressor {
  compress(
    chat: object,
    promptId: string,
    isForced: boolean,
    model: string,
    config: object,
    hasFailed: boolean,
  ): Promise<{
    readonly newHistory: readonly Content[] | null;
    readonly info: { readonly compressionStatus: unknown };
  }>;
}

interface GeminiCore {
  readonly makeFakeConfig: () => object & { readonly storage: object };
  readonly tokenLimit: (model: string) => number;
  readonly CompressionStatus: Readonly<Record<string, unknown>>;
}

const model = 'gemini-2.5-pro';

/**
 * Gemini CLI's chat compression before each request, its threshold set to B: it keeps the newest 30 % of the
 * characters, cut at a user's message, and asks its summariser twice. Its masking of tool output begins at 50 000
 * protected tokens and does nothing at these budgets, so it is left out.
 */
export async function geminiCliPeers(options: PeerOptions): Promise<Contender[]> {
  const core = (await importPeer('@google/gemini-cli-core')) as unknown as GeminiCore;
  const { ChatCompressionService } = (await importPeer(
    '@google/gemini-cli-core/dist/src/context/chatCompressionService.js',
  )) as unknown as { ChatCompressionService: new () => Compressor };
  return [
    peerContender('Gemini CLI', options, (setting) => {
      const service = new ChatCompressionService();
      const config = configOf(core, setting);
      const format = createGeminiFormat();
      const systems: ModelMessage[] = [];
      let contents: readonly Content[] = [];
      let hasFailed = false;
      return async ({ fresh, lastSentTokens }: PeerStep) => {
        systems.push(...fresh.filter(({ role }) => role === 'system'));
        const added = fresh.filter(({ role }) => role !== 'system').map(format.toPeer);
        contents = [...contents, ...added];
        const chat = { getHistory: () => contents, getLastPromptTokenCount: () => lastSentTokens };
        const { newHistory, info } = await service.compress(chat, 'bench', false, model, config, hasFailed);
        if (newHistory) contents = newHistory;
        hasFailed ||=
          info.compressionStatus === core.CompressionStatus['COMPRESSION_FAILED_INFLATED_TOKEN_COUNT'];
        return [...systems, ...contents.map(format.fromPeer)];
      };
    }),
  ];
}

/** Its configuration, with our threshold and summariser. */
function configOf(core: GeminiCore, { budgetTokens, summariser }: PeerSetting): object {
  const config = core.makeFakeConfig();
  let truncations = 0;
  const folder = join(tmpdir(), 'throughline-bench-gemini-cli');
  return Object.assign(Object.create(config) as object, {
    storage: { getProjectTempDir: () => folder },
    getCompressionThreshold: () => Promise.resolve(budgetTokens / core.tokenLimit(model)),
    getHookSystem: () => undefined,
    getUsageStatisticsEnabled: () => false,
    getNextCompressionTruncationId: () => (truncations += 1),
    getTruncateToolOutputThreshold: () => 40_000,
    getIncludeDirectoryTree: () => false,
    getSessionMemory: () => '',
    getContentGenerator: () => ({}),
    getBaseLlmClient: () => clientOf(summariser),
  });
}

function clientOf(summariser: FakeSummariser) {
  return {
    generateContent({
      contents,
      systemInstruction,
    }: {
      readonly contents: readonly Content[];
      readonly systemInstruction: { readonly text: string };
    }) {
      const conversation = contents.slice(0, -1).map(readableText).join('\n');
      const question = contents.slice(-1).map(readableText).join('\n');
      const text = summariser.ask(
        `${systemInstruction.text}\n${question}`.replaceAll(/^#+ /gm, ''),
        conversation,
      );
      const content = { role: 'model', parts: [{ text: `<state_snapshot>\n${text}\n</state_snapshot>` }] };
      return Promise.resolve({ candidates: [{ content }] });
    },
  };
}

function readableText({ parts }: Content): string {
  return parts
    .map(({ text, functionCall, functionResponse }) => {
      if (functionCall) return `${functionCall.name} ${JSON.stringify(functionCall.args)}`;
      return functionResponse?.response.output ?? text ?? '';
    })
    .join('\n');
}

/** It copies contents but not parts: a content is the one we made when its parts are. */
function createGeminiFormat(): MessageFormat<Content> {
  const byPart = new WeakMap<GeminiPart, { readonly content: Content; readonly message: ModelMessage }>();
  const written = new WeakMap<Content, ModelMessage>();
  return {
    toPeer: (message) => {
      const content = make(message);
      for (const part of content.parts) byPart.set(part, { content, message });
      return content;
    },
    fromPeer: (content) => {
      const origin = content.parts[0] && byPart.get(content.parts[0]);
      const isWhole =
        origin?.content.parts.length === content.parts.length &&
        content.parts.every((part, index) => part === origin.content.parts[index]);
      if (isWhole && origin) return origin.message;
      const found = written.get(content) ?? read(content);
      written.set(content, found);
      return found;
    },
  };
}

function make(message: ModelMessage): Content {
  const parts = partsOf(message).flatMap((part): GeminiPart[] => {
    if (part.type === 'text') return [{ text: part.text }];
    if (part.type === 'tool-call')
      return [{ functionCall: { id: part.toolCallId, name: part.toolName, args: argumentsOf(part) } }];
    if (part.type === 'tool-result') {
      const response = { output: outputText(part) };
      return [{ functionResponse: { id: part.toolCallId, name: part.toolName, response } }];
    }
    return [];
  });
  // A content without parts is refused.
  return {
    role: message.role === 'assistant' ? 'model' : 'user',
    parts: parts.length > 0 ? parts : [{ text: ' ' }],
  };
}

function read({ role, parts }: Content): ModelMessage {
  const read = parts.map(({ text = '', functionCall, functionResponse }): ModelPart => {
    if (functionCall)
      return {
        type: 'tool-call',
        toolCallId: functionCall.id,
        toolName: functionCall.name,
        input: functionCall.args,
      };
    if (!functionResponse) return { type: 'text', text };
    const value = functionResponse.response.output ?? '';
    const output = { type: 'text', value } as const;
    return { type: 'tool-result', toolCallId: functionResponse.id, toolName: functionResponse.name, output };
  });
  const isResult = read.some(({ type }) => type === 'tool-result');
  return { role: isResult ? 'tool' : role === 'model' ? 'assistant' : 'user', content: read };
}
