import { asCurl } from '../../../inspect/as-curl.ts';
import { lacksInstructions } from '../../../inspect/inspected.ts';
import { Dialog } from '../../../parts/popups/dialog.tsx';
import { Pre } from '../../../parts/text/pre.tsx';
import { requestAt } from '../../../inspect/request-at.ts';
import { useSentRequest } from '../../../data/inspected.ts';
import type { Inspected } from '../../../inspect/inspected.ts';
import type { RequestToSend } from '../../../inspect/as-curl.ts';
import type { StepViewProps } from './step-view.ts';

interface CurlDialogProps extends StepViewProps {
  readonly onClose: () => void;
}

const madeWords: Readonly<Record<Inspected['source'], string>> = {
  session: 'Made anew from history and changes.',
  conversation:
    'The messages as the upstream got them, with the instructions and tools that the client sent last.',
  file: 'Made anew from what was recorded.',
};

const withoutInstructions =
  'The messages as the upstream got them. The client’s instructions and tools are not known, and not in it.';

function madeWordsOf(inspected: Inspected): string {
  return lacksInstructions(inspected) ? withoutInstructions : madeWords[inspected.source];
}

function recordedWords(isExact: boolean): string {
  return isExact
    ? 'The request as it was sent.'
    : 'Made anew: settings, system text or tools have changed since it was sent.';
}

/** The request as a command: the exact one where the server recorded it, else as the engine makes it anew. */
export function CurlDialog({ inspected, step, sessionId, onClose }: CurlDialogProps) {
  const request = requestAt(inspected, step);
  const seq = request.step?.seq ?? null;
  const exact = useSentRequest(sessionId, seq);
  const { setup } = inspected;
  const made: RequestToSend = {
    format: setup.format,
    model: request.step?.model ?? setup.model ?? 'MODEL',
    messages: request.messages.map(({ message }) => message),
    system: setup.system,
    tools: setup.tools,
  };
  const recorded = exact.state === 'ready' ? exact.value : null;
  const command = asCurl(recorded ? { ...recorded.request, format: setup.format, isSent: true } : made);
  return (
    <Dialog
      isOpen
      isWide
      onClose={onClose}
      title="This request as curl"
      about={`${recorded ? recordedWords(recorded.isExact) : madeWordsOf(inspected)} No key is in it: set API_KEY, and BASE_URL for another server.`}
    >
      {command === undefined ? (
        <p>No server speaks the format of these messages ({made.format}).</p>
      ) : (
        <Pre label="Command" text={command} />
      )}
    </Dialog>
  );
}
