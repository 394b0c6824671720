import { Dialog } from '../../parts/popups/dialog.tsx';
import { FailureNotice, Loading, Notice } from '../../parts/notice.tsx';
import { Pre } from '../../parts/text/pre.tsx';
import { useMemo } from 'react';
import { useStepRequest } from '../../data/trace/trace.ts';
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

function Request({ answer: { request, isExact, differsIn } }: { readonly answer: StepRequestAnswer }) {
  const text = useMemo(() => JSON.stringify(request, null, 2), [request]);
  if (request === null) return <Notice title="This request was not recorded" />;
  return (
    <div className="flex flex-col gap-3">
      <Notice
        tone={isExact ? 'good' : 'warn'}
        title={isExact ? 'Exactly what was sent' : 'Not exactly what was sent'}
      >
        {isExact
          ? 'Made anew from the history and the compactions of that time; its fingerprint is the one recorded then.'
          : `Because ${differsIn.map((name) => differences[name]).join(', and ')}.`}
      </Notice>
      <Pre text={text} label="Request as JSON" />
    </div>
  );
}
