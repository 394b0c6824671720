import { Button } from '../../../parts/button.tsx';
import { causeText, isTouched } from './fate-words.ts';
import { messageText } from '../../../inspect/message-text.ts';
import { OriginalText } from './original-text.tsx';
import { Pre } from '../../../parts/text/pre.tsx';
import { requestAt } from '../../../inspect/request-at.ts';
import { tellUndo } from '../../context/compaction-words.ts';
import { toast, toastFailure } from '../../../parts/popups/toast.ts';
import type { Fate } from '../../../inspect/fates.ts';
import type { ItemRow } from './item-rows.ts';
import type { StepViewProps } from './step-view.ts';

interface ItemDetailsProps extends StepViewProps {
  readonly row: ItemRow;
}

/** A message as it is sent, as it was said, and what can be done about it. */
export function ItemDetails(props: ItemDetailsProps) {
  const { row, inspected } = props;
  if (row.type === 'written')
    return (
      <div className="border-t border-line p-2">
        <Pre label="As it is sent" text={row.text} />
      </div>
    );
  const { fate } = row;
  const sent = fate.state === 'shown' && fate.parts.some(isTouched) ? sentText(props) : undefined;
  return (
    <div className="flex flex-col gap-2 border-t border-line p-2">
      {fate.state === 'shown' && <PartFates fate={fate} inspected={inspected} actions={props.actions} />}
      {sent !== undefined && <Pre label="As it is sent" text={sent} />}
      <Pre
        label={sent === undefined ? 'As it was said' : 'As it was said in full'}
        text={messageText(row.entry)}
      />
      <PutBack {...props} fate={fate} />
    </div>
  );
}

type ShownFate = Extract<Fate, { readonly state: 'shown' }>;

function PartFates({
  fate,
  inspected,
  actions,
}: Pick<StepViewProps, 'inspected' | 'actions'> & { readonly fate: ShownFate }) {
  const touched = fate.parts.filter(isTouched);
  if (touched.length === 0) return null;
  return (
    <ul className="flex flex-col gap-1 text-xs text-ink-soft">
      {touched.map(({ part, cause }) => (
        <li key={part} className="flex flex-wrap items-center gap-2">
          <span>
            Part {part + 1}: {cause ? causeText(cause) : 'not sent'}
          </span>
          {cause && <OriginalText inspected={inspected} recallId={cause.recallId} recall={actions?.recall} />}
        </li>
      ))}
    </ul>
  );
}

/** A pinned message is never compacted again; what took it is taken back where it is the newest. */
function PutBack({ row, fate, inspected, actions, step }: ItemDetailsProps & { readonly fate: Fate }) {
  if (!actions || step !== 'next' || row.type !== 'message') return null;
  const isPinned = inspected.setup.pins.includes(fate.ordinal);
  const pin = (): void =>
    void toastFailure('The pin could not be changed', () => actions.pin(fate.ordinal, !isPinned));
  const cause =
    fate.state === 'gone' ? fate.cause : fate.state === 'shown' ? fate.parts.find(isTouched)?.cause : null;
  const putBack = (): void =>
    void toastFailure('It could not be put back', async () => {
      await actions.pin(fate.ordinal, true);
      if (cause?.pass?.canUndo === true) {
        const { title, ...rest } = tellUndo(await actions.undo());
        toast(title, rest);
      } else
        toast('It is pinned', {
          detail:
            'The compaction that took it cannot be taken back now: it is not the newest, or what it took would not fit. With it the message comes back.',
        });
    });
  return (
    <div className="flex gap-2">
      {cause && (
        <Button isSmall look="primary" onClick={putBack}>
          Put it back into the context
        </Button>
      )}
      <Button isSmall onClick={pin}>
        {isPinned ? 'Take the pin away' : 'Pin it'}
      </Button>
    </div>
  );
}

/** The message of the request that stands for this one. */
function sentText({ inspected, step, row }: ItemDetailsProps): string | undefined {
  if (row.type !== 'message') return undefined;
  const { messages, transcript } = requestAt(inspected, step);
  const found = messages.find(({ ordinal }) => ordinal === row.fate.ordinal);
  return found && messageText(transcript.codec.decode(found.message, row.fate.ordinal));
}
