import { useChat } from '@ai-sdk/react';
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai';
import { createElement } from 'react';
import { onTestFinished } from 'vitest';
import { openDocument } from './open-document.ts';
import { until } from './serve.ts';
import type { UIMessage } from 'ai';

type Chat = ReturnType<typeof useChat>;

export interface ChatPage {
  /** What the hook says now. */
  readonly chat: Chat;
  readonly data: readonly { readonly type: string; readonly data: unknown }[];
  /** Waits until the page shows what is asked for. */
  readonly shows: (isShown: (chat: Chat) => boolean) => Promise<void>;
  /** As when a page is closed: everything it reads is cut. */
  readonly close: () => void;
}

export interface PageOptions {
  readonly id: string;
  readonly resume?: boolean;
  readonly messages?: UIMessage[];
}

/** A page with the real `useChat` and `DefaultChatTransport`, in a document of jsdom. */
export async function openChatPage(
  address: string,
  { id, resume = false, messages = [] }: PageOptions,
): Promise<ChatPage> {
  const document = openDocument();
  const { createRoot } = await import('react-dom/client');
  const connections = new AbortController();
  const transport = new DefaultChatTransport({
    api: `${address}/api/chat`,
    fetch: (url, init) => {
      const signals = [connections.signal, ...(init?.signal ? [init.signal] : [])];
      return fetch(url, { ...init, signal: AbortSignal.any(signals) });
    },
  });
  let chat: Chat | undefined;
  const data: { readonly type: string; readonly data: unknown }[] = [];
  function Page(): null {
    chat = useChat({
      id,
      resume,
      messages,
      transport,
      onData: (part) => void data.push(part),
      onError: () => {},
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    });
    return null;
  }
  const main = document.querySelector('main');
  if (!main) throw new Error('The document has no main');
  const root = createRoot(main);
  root.render(createElement(Page));
  const close = (): void => {
    connections.abort();
    root.unmount();
  };
  onTestFinished(close);
  await until(() => chat !== undefined);
  return {
    get chat() {
      if (!chat) throw new Error('The page was not rendered');
      return chat;
    },
    data,
    shows: (isShown) => until(() => chat !== undefined && isShown(chat)),
    close,
  };
}

/** The parts of a message in short: `text:hi`, `look(output-available)`. */
export function shortParts(message: UIMessage | undefined): readonly string[] {
  return (message?.parts ?? []).flatMap((part) => {
    if (part.type === 'text' || part.type === 'reasoning') return [`${part.type}:${part.text}`];
    if (part.type === 'dynamic-tool') return [`${part.toolName}(${part.state})`];
    return part.type === 'step-start' ? ['step'] : [];
  });
}
