import { Arriving } from '../../parts/popups/arriving.tsx';
import { Button } from '../../parts/button.tsx';
import { Collapsible } from '../message/collapsible.tsx';
import { changeOf } from '../message/edits.ts';
import { lazy, useState } from 'react';
import { Pre } from '../../parts/text/pre.tsx';
import { ShieldQuestion } from 'lucide-react';
import { toastFailure } from '../../parts/popups/toast.ts';
import { useQueueActions } from '../../data/conversation/queue.ts';
import { visibleText } from '../../parts/visible-text.ts';
import type { ApprovalAnswer, ApprovalRequest } from '../../data/types.ts';

interface ApprovalListProps {
  readonly sessionId: string;
  readonly approvals: readonly ApprovalRequest[];
  readonly onAnswered: () => void;
}

const EditDiff = lazy(() =>
  import('../message/edit-diff.tsx').then((module) => ({ default: module.EditDiff })),
);

/** Questions of tools that wait for the user. */
export function ApprovalList({ sessionId, approvals, onAnswered }: ApprovalListProps) {
  return approvals.map((request) => (
    <Approval key={request.id} sessionId={sessionId} request={request} onAnswered={onAnswered} />
  ));
}

interface ApprovalProps {
  readonly sessionId: string;
  readonly request: ApprovalRequest;
  readonly onAnswered: () => void;
}

function Approval({ sessionId, request, onAnswered }: ApprovalProps) {
  const { id, toolName, input, warning } = request;
  const { answer } = useQueueActions(sessionId);
  const change = changeOf(input);
  const give = async (said: ApprovalAnswer): Promise<void> => {
    await toastFailure('The answer could not be given', () => answer(id, said));
    onAnswered();
  };
  return (
    <section
      aria-label={`${toolName} asks`}
      className="flex flex-col gap-2 rounded-lg border border-warn/50 bg-warn-soft p-3 text-sm"
    >
      <h2 className="flex items-center gap-2 font-semibold text-warn">
        <ShieldQuestion size={16} aria-hidden /> {toolName} asks whether it may run
      </h2>
      {warning !== '' && <p className="text-warn">{warning}</p>}
      {change ? (
        <>
          <Arriving instead={<Pre label="What it would do" text={JSON.stringify(input, null, 2)} />}>
            <EditDiff change={change} />
          </Arriving>
          <Collapsible name={request.id} className="text-xs" summary={<summary>All arguments</summary>}>
            <Pre label="Arguments" text={JSON.stringify(input, null, 2)} />
          </Collapsible>
        </>
      ) : (
        <Called input={input} />
      )}
      <Answers request={request} onAnswer={(said) => void give(said)} />
    </section>
  );
}

/** All that the tool would be given: a command as one types it, and whatever comes with it. */
function Called({ input }: Pick<ApprovalRequest, 'input'>) {
  if (!isCommand(input)) return <Pre label="What it would do" text={JSON.stringify(input, null, 2)} />;
  const { command, ...others } = input;
  return (
    <>
      <Pre label="What it would do" text={command} />
      {Object.keys(others).length > 0 && (
        <Pre label="Other arguments" text={JSON.stringify(others, null, 2)} />
      )}
    </>
  );
}

interface AnswersProps {
  readonly request: ApprovalRequest;
  readonly onAnswer: (answer: ApprovalAnswer) => void;
}

function Answers({ request: { id, grant }, onAnswer }: AnswersProps) {
  const [reason, setReason] = useState('');
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <Button isSmall look="primary" onClick={() => onAnswer({ type: 'allow', scope: 'once' })}>
          Allow once
        </Button>
        <Button
          isSmall
          aria-describedby={`${id}-scope`}
          onClick={() => onAnswer({ type: 'allow', scope: 'session' })}
        >
          For this session
        </Button>
        <Button
          isSmall
          aria-describedby={`${id}-scope`}
          onClick={() => onAnswer({ type: 'allow', scope: 'always' })}
        >
          Always
        </Button>
        <span id={`${id}-scope`} className="line-clamp-3 min-w-0 text-xs break-words text-ink-soft">
          {scopeWords(grant)}
        </span>
      </div>
      <form
        className="flex items-center gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          onAnswer(reason.trim() === '' ? { type: 'deny' } : { type: 'deny', reason: reason.trim() });
        }}
      >
        <Button isSmall look="danger" type="submit">
          Deny
        </Button>
        <input
          aria-label="Why not (told to the model)"
          placeholder="Why not (told to the model)"
          dir="auto"
          value={reason}
          onChange={({ target }) => setReason(target.value)}
          className="min-h-7 min-w-0 flex-1 rounded-md border border-line-strong bg-ground px-2 text-ink"
        />
      </form>
    </>
  );
}

/** What the answers for longer than this once cover. */
function scopeWords({ toolName, key }: ApprovalRequest['grant']): string {
  return key === undefined
    ? `For longer, it covers every call of ${toolName}.`
    : `For longer, it covers ${toolName}: ${visibleText(key)}`;
}

function isCommand(input: ApprovalRequest['input']): input is { readonly command: string } {
  return (
    typeof input === 'object' && input !== null && 'command' in input && typeof input['command'] === 'string'
  );
}
