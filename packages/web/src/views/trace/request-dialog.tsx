import { Button } from '../../parts/button.tsx';
import { copyText } from '../../parts/copy-text.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { FailureNotice, Loading, Notice } from '../../parts/notice.tsx';
import { formatCount } from '../../parts/format.ts';
import { useMemo } from 'react';
import { useStepRequest } from '../../data/trace.ts';
import type { StepRequestAnswer } from '../../data/types.ts';

export interface RequestDialogProps {
  readonly sessionId: string;
  readonly seq: number;
  readonly onClose: () => void;
}

/** The request of a step as it was sent to the model's server. */
export function RequestDialog({ sessionId, seq, onClose }: RequestDialogProps) {
  const answer = useStepRequest(sessionId, seq);
  return (
    <Dialog isOpen isWide onClose={onClose} title="The request of this step" about={aboutOf(answer)}>
      {answer.state === 'loading' && <Loading what="the request" />}
      {answer.state === 'failed' && <FailureNotice failure={answer.failure} />}
      {answer.state === 'ready' && <Request answer={answer.value} />}
    </Dialog>
  );
}

function aboutOf(answer: ReturnType<typeof useStepRequest>): string {
  if (answer.state !== 'ready')
    return 'System text, tools and messages, in the format of the model’s server.';
  const { step, provider, model } = answer.value;
  return `Step ${step}, ${provider} ${model}: system text, tools and messages, in the format of the model’s server.`;
}

const differences: Readonly<Record<StepRequestAnswer['differsIn'][number], string>> = {
  'not-recorded': 'the step was made by an earlier version, which did not record it',
  model: 'the session has another model now',
  settings: 'system text, tools, media or settings are not those of then',
};

/** What is drawn at most: a browser lays out longer texts for seconds. */
const mostShown = 300_000;

function Request({ answer: { request, isExact, differsIn } }: { readonly answer: StepRequestAnswer }) {
  const text = useMemo(() => JSON.stringify(request, null, 2), [request]);
  if (request === null) return <Notice title="This request was not recorded" />;
  return (
    <div className="flex flex-col gap-3">
      <Notice
        tone={isExact ? 'good' : 'warn'}
        title={isExact ? 'Exactly what was sent' : 'Not exactly what was sent'}
        actions={
          <Button isSmall onClick={() => void copyText(text)}>
            Copy
          </Button>
        }
      >
        {isExact
          ? 'Made anew from the history and the compactions of that time; its fingerprint is the one recorded then.'
          : `Because ${differsIn.map((name) => differences[name]).join(', and ')}.`}
      </Notice>
      <pre
        tabIndex={0}
        aria-label="Request as JSON"
        className="overflow-auto rounded-lg bg-ground-soft p-3 font-mono text-xs"
      >
        {text.slice(0, mostShown)}
      </pre>
      {text.length > mostShown && (
        <p className="text-xs text-ink-soft">
          The first {formatCount(mostShown)} of {formatCount(text.length)} characters; Copy takes all.
        </p>
      )}
    </div>
  );
}
