import { useChat } from '@ai-sdk/react';
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai';
import type { ReactElement } from 'react';
import type { UIMessage } from 'ai';

type ChatMessage = UIMessage<unknown, { 'throughline-compaction': { state: string } }>;

export function Chat({
  id,
  api = '/api/chat',
}: {
  readonly id: string;
  readonly api?: string;
}): ReactElement {
  const { messages, sendMessage, addToolApprovalResponse, status, stop, error } = useChat<ChatMessage>({
    id,
    transport: new DefaultChatTransport({ api }),
    // A page that is loaded anew shows the answer that is under way.
    resume: true,
    // What the user has answered goes to the agent, and the message goes on.
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  const isBusy = status === 'submitted' || status === 'streaming';
  const send = (form: FormData): void => {
    const text = form.get('text');
    if (typeof text === 'string') void sendMessage({ text });
  };
  return (
    <main>
      {messages.map((message) => (
        <article key={message.id} aria-label={message.role}>
          {message.parts.map((part, index) => (
            <Part
              key={index}
              part={part}
              answer={(approvalId, approved) => void addToolApprovalResponse({ id: approvalId, approved })}
            />
          ))}
        </article>
      ))}
      {error && <p role="alert">{error.message}</p>}
      <form action={send}>
        <input name="text" />
        <button disabled={isBusy}>Send</button>
        <button type="button" disabled={!isBusy} onClick={() => void stop()}>
          Stop
        </button>
      </form>
    </main>
  );
}

interface PartProps {
  readonly part: ChatMessage['parts'][number];
  readonly answer: (approvalId: string, approved: boolean) => void;
}

function Part({ part, answer }: PartProps): ReactElement | null {
  if (part.type === 'text') return <p>{part.text}</p>;
  if (part.type === 'reasoning') return <details>{part.text}</details>;
  if (part.type === 'data-throughline-compaction')
    return <p role="status">{part.data.state === 'completed' ? 'Context compacted' : 'Compacting …'}</p>;
  if (part.type !== 'dynamic-tool') return null;
  return (
    <section aria-label={part.toolName}>
      <code>{JSON.stringify(part.input)}</code>
      {part.state === 'output-available' && <pre>{JSON.stringify(part.output)}</pre>}
      {part.state === 'approval-requested' && (
        <>
          <button onClick={() => answer(part.approval.id, true)}>Allow</button>
          <button onClick={() => answer(part.approval.id, false)}>Deny</button>
        </>
      )}
    </section>
  );
}
