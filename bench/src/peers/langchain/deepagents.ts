import { createLangChainFormat, loadMessageClasses } from './langchain-messages.ts';
import { importPeer } from '../import-peer.ts';
import { peerContender } from '../peer-contender.ts';
import { summariserModel } from './summariser-model.ts';
import type { Contender } from '@throughline/replay';
import type { LangChainMessage } from './langchain-messages.ts';
import type { PeerOptions } from '../peer-contender.ts';

interface Request {
  readonly messages: readonly LangChainMessage[];
  readonly state: object;
  readonly model: unknown;
  readonly systemMessage: LangChainMessage;
  readonly tools: readonly unknown[];
}

interface DeepAgents {
  readonly createSummarizationMiddleware: (options: object) => {
    wrapModelCall(request: Request, handler: (request: Request) => Promise<unknown>): Promise<unknown>;
  };
}

/**
 * deepagents' summarization with B as the trigger: once keeping 20 messages, the default where a trigger is given; once
 * as `createDeepAgent` sets it up for a model whose window makes its 85 % equal to B: keeps a tenth, cuts long arguments.
 */
export async function deepAgentsPeers(options: PeerOptions): Promise<Contender[]> {
  const classes = await loadMessageClasses();
  const loaded = (await importPeer('deepagents')) as unknown as DeepAgents;
  const contender = (name: string, isDefault: boolean): Contender =>
    peerContender(name, options, (setting) => {
      const format = createLangChainFormat(classes);
      const model = {
        ...summariserModel(setting),
        profile: { maxInputTokens: Math.round(setting.budgetTokens / 0.85) },
      };
      const middleware = loaded.createSummarizationMiddleware({
        model,
        backend: createFolder(),
        ...(isDefault ? {} : { trigger: { type: 'tokens', value: setting.budgetTokens } }),
      });
      const systemMessage = new classes.SystemMessage({ content: '' });
      const messages: LangChainMessage[] = [];
      let state: object = {};
      return async ({ fresh }) => {
        messages.push(...fresh.map(format.toPeer));
        let sent: readonly LangChainMessage[] = messages;
        const result = await middleware.wrapModelCall(
          { messages, state, model, systemMessage, tools: [] },
          (request) => {
            sent = request.messages;
            return Promise.resolve(undefined);
          },
        );
        const { update } = (result ?? {}) as { readonly update?: object };
        state = { ...state, ...update };
        return sent.map(format.fromPeer);
      };
    });
  return [contender('deepagents', false), contender('deepagents, its defaults', true)];
}

/** Where it writes the history: files in memory. */
function createFolder() {
  const files = new Map<string, Uint8Array>();
  const encoder = new TextEncoder();
  return {
    write: (path: string, text: string) => {
      files.set(path, encoder.encode(text));
      return { path };
    },
    edit: (path: string, _before: string, after: string) => {
      files.set(path, encoder.encode(after));
      return { path };
    },
    uploadFiles: (all: readonly (readonly [string, Uint8Array])[]) =>
      all.map(([path, content]) => {
        files.set(path, content);
        return { path, error: null };
      }),
    downloadFiles: (paths: readonly string[]) =>
      paths.map((path) => {
        const content = files.get(path) ?? null;
        return { path, content, error: content === null ? 'file_not_found' : null };
      }),
    read: () => '',
    lsInfo: () => [],
    grepRaw: () => [],
    globInfo: () => [],
  };
}
