import { Button } from '../../parts/button.tsx';
import { Pre } from '../../parts/text/pre.tsx';
import { useRecalled } from '../../data/session/session-parts.ts';
import { useState } from 'react';

interface RecalledTextProps {
  readonly sessionId: string;
  readonly recallId: string;
}

/** A button that brings back the whole of something that was shortened. */
export function RecalledText({ sessionId, recallId }: RecalledTextProps) {
  const [isWanted, setWanted] = useState(false);
  const recalled = useRecalled(sessionId, recallId, isWanted);
  if (!isWanted)
    return (
      <Button isSmall data-opens onClick={() => setWanted(true)}>
        Show the whole
      </Button>
    );
  if (recalled.state === 'failed') return <span role="alert">{recalled.failure.detail}</span>;
  return (
    <div className="w-full">
      <Pre label={`The whole (${recallId})`} text={recalled.state === 'ready' ? recalled.value.text : '…'} />
    </div>
  );
}
