import { createLangChainFormat, loadMessageClasses } from './langchain-messages.ts';
import { importPeer } from '../import-peer.ts';
import { peerContender } from '../peer-contender.ts';
import { summariserModel } from './summariser-model.ts';
import type { Contender } from '@throughline/replay';
import type { LangChainMessage } from './langchain-messages.ts';
import type { PeerOptions, PeerRun, PeerSetting } from '../peer-contender.ts';

type Handler = (request: { readonly messages: readonly LangChainMessage[] }) => Promise<unknown>;

interface LangChain {
  readonly summarizationMiddleware: (options: object) => {
    beforeModel(
      state: { readonly messages: readonly LangChainMessage[] },
      runtime: { readonly context: object },
    ): Promise<{ readonly messages: readonly LangChainMessage[] } | undefined>;
  };
  readonly contextEditingMiddleware: (options: object) => {
    wrapModelCall(
      request: { messages: LangChainMessage[]; model: unknown },
      handler: Handler,
    ): Promise<unknown>;
  };
  readonly ClearToolUsesEdit: new (options: object) => unknown;
}

interface Trim {
  readonly trimMessages: (
    messages: readonly LangChainMessage[],
    options: object,
  ) => Promise<readonly (LangChainMessage | undefined)[]>;
}

/**
 * LangChain, each as its documentation shows it, with B as the trigger: `summarizationMiddleware` (keeps 20 messages, by
 * default), `contextEditingMiddleware` (keeps 3 results, by default; it edits the state's messages in place),
 * `trimMessages` (the newest within B, from a human message on).
 */
export async function langChainPeers(options: PeerOptions): Promise<Contender[]> {
  const classes = await loadMessageClasses();
  const langChain = (await importPeer('langchain')) as unknown as LangChain;
  const { trimMessages } = (await importPeer('@langchain/core/messages')) as unknown as Trim;
  return [
    peerContender('LangChain summarization', options, (setting) => {
      const format = createLangChainFormat(classes);
      const middleware = langChain.summarizationMiddleware({
        model: summariserModel(setting),
        trigger: { tokens: setting.budgetTokens },
      });
      let messages: readonly LangChainMessage[] = [];
      return async ({ fresh }) => {
        messages = [...messages, ...fresh.map(format.toPeer)];
        const update = await middleware.beforeModel({ messages }, { context: {} });
        if (update) messages = update.messages.filter(({ type }) => type !== 'remove');
        return messages.map(format.fromPeer);
      };
    }),
    peerContender('LangChain contextEditing', options, (setting) => {
      const format = createLangChainFormat(classes);
      const middleware = langChain.contextEditingMiddleware({
        edits: [new langChain.ClearToolUsesEdit({ trigger: { tokens: setting.budgetTokens } })],
      });
      const messages: LangChainMessage[] = [];
      return async ({ fresh }) => {
        messages.push(...fresh.map(format.toPeer));
        await middleware.wrapModelCall({ messages, model: undefined }, () => Promise.resolve(undefined));
        return messages.map(format.fromPeer);
      };
    }),
    peerContender('LangChain trimMessages', options, (setting) => trimmed(setting)),
  ];

  function trimmed({ budgetTokens }: PeerSetting): PeerRun {
    const format = createLangChainFormat(classes);
    const all: LangChainMessage[] = [];
    return async ({ fresh, count }) => {
      all.push(...fresh.map(format.toPeer));
      const kept = await trimMessages(all, {
        maxTokens: budgetTokens,
        tokenCounter: (messages: readonly (LangChainMessage | undefined)[]) =>
          count(messages.filter((message) => message !== undefined).map(format.fromPeer)),
        strategy: 'last',
        startOn: 'human',
        endOn: ['human', 'tool'],
        includeSystem: true,
      });
      // Where only a system message would be left it returns a hole in its place.
      return kept.filter((message) => message !== undefined).map(format.fromPeer);
    };
  }
}
