import { Button } from '../../../parts/button.tsx';
import { originalOf } from '../../../inspect/original.ts';
import { Pre } from '../../../parts/text/pre.tsx';
import { toastFailure } from '../../../parts/popups/toast.ts';
import { useState } from 'react';
import type { Inspected } from '../../../inspect/inspected.ts';

interface OriginalTextProps {
  readonly inspected: Inspected;
  readonly recallId: string;
  /** Asks the server for what only it has. */
  readonly recall: ((recallId: string) => Promise<string>) | undefined;
}

/** Opens the original of a placeholder where it stands. */
export function OriginalText({ inspected, recallId, recall }: OriginalTextProps) {
  const [text, setText] = useState<string>();
  if (text !== undefined)
    return (
      <div className="w-full">
        <Pre label={`Original (${recallId})`} text={text} />
      </div>
    );
  const open = async (): Promise<void> => {
    const found = originalOf(inspected, recallId);
    if (found.state === 'found') setText(found.original.text);
    else if (found.state === 'elsewhere' && recall)
      await toastFailure('The original could not be fetched', async () => setText(await recall(recallId)));
    else setText('This recording does not hold it.');
  };
  return (
    <Button isSmall onClick={() => void open()}>
      Show the original
    </Button>
  );
}
