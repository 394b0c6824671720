import { Button } from '../../parts/button.tsx';
import { FailureNotice, Notice } from '../../parts/notice.tsx';
import { formatCount } from '../../parts/format.ts';
import { savedPercent, tellCompact } from './compaction-words.ts';
import { Select } from '../../parts/select.tsx';
import { toast, toastFailure } from '../../parts/popups/toast.ts';
import { usePreview } from '../../data/context/use-preview.ts';
import { useState } from 'react';
import { useStrategies } from '../../data/settings.ts';
import { visibleText } from '../../parts/visible-text.ts';
import type { CompactAnswer } from '../../data/types.ts';
import type { CompactWish, ContextActions } from '../../data/context/context-actions.ts';

interface CompactFormProps {
  readonly actions: ContextActions;
  /** The server takes one thing at a time. */
  readonly busyWith: 'nothing' | 'run' | 'compaction';
}

/** Compacts now; on request with words for the summary and another strategy, and with a look at it before. */
export function CompactForm({ actions, busyWith }: CompactFormProps) {
  const [focus, setFocus] = useState('');
  const [strategy, setStrategy] = useState('');
  const [isCompacting, setCompacting] = useState(false);
  const preview = usePreview(actions);
  const wish: CompactWish = {
    ...(focus.trim() !== '' && { focus: focus.trim() }),
    ...(strategy !== '' && { strategy }),
  };
  const compact = async (): Promise<void> => {
    setCompacting(true);
    preview.clear();
    await toastFailure('The context was not compacted', async () => {
      const answer = await actions.compact(wish);
      // These two are told by their events, also to other tabs.
      if (answer.type === 'compacted' || answer.type === 'cancelled') return;
      const { title, ...rest } = tellCompact(answer);
      toast(title, rest);
    });
    setCompacting(false);
  };
  return (
    <section aria-label="Compact" className="flex flex-col gap-2">
      <div className="flex flex-wrap gap-2">
        <Button
          isSmall
          look="primary"
          disabled={busyWith !== 'nothing' || isCompacting}
          onClick={() => void compact()}
        >
          {isCompacting ? 'Compacting …' : 'Compact now'}
        </Button>
        <Button isSmall disabled={preview.state === 'loading'} onClick={() => preview.ask(wish)}>
          {preview.state === 'loading' ? 'Previewing …' : 'Preview'}
        </Button>
        <WayOut actions={actions} busyWith={busyWith} />
      </div>
      <details>
        <summary className="text-xs text-ink-soft">Focus and strategy</summary>
        <div className="flex flex-col gap-2 pt-2">
          <label className="flex flex-col gap-1 text-xs text-ink-soft">
            What the summary should pay attention to
            <textarea
              dir="auto"
              rows={2}
              maxLength={10_000}
              value={focus}
              onChange={({ target }) => setFocus(target.value)}
              className="rounded-md border border-line-strong bg-ground px-2 py-1 text-sm text-ink"
            />
          </label>
          <StrategyChoice value={strategy} onChange={setStrategy} />
        </div>
      </details>
      {preview.state === 'failed' && <FailureNotice failure={preview.failure} />}
      {preview.state === 'ready' && <Preview answer={preview.value} />}
    </section>
  );
}

/** What can be done while nothing can be compacted; the panel may cover the button that is at the end of the page. */
function WayOut({ actions, busyWith }: CompactFormProps) {
  if (busyWith === 'nothing') return null;
  if (busyWith === 'run')
    return <span className="self-center text-xs text-ink-faint">The agent works: wait or stop it.</span>;
  return (
    <Button isSmall onClick={() => void toastFailure('It could not be cancelled', actions.cancel)}>
      Cancel the compaction
    </Button>
  );
}

interface StrategyChoiceProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function StrategyChoice({ value, onChange }: StrategyChoiceProps) {
  const strategies = useStrategies();
  const names = strategies.state === 'ready' ? strategies.value : [];
  return (
    <Select
      label="Strategy"
      value={value}
      onChange={onChange}
      choices={[
        { value: '', label: 'As in the settings' },
        ...names.map((name) => ({ value: name, label: name })),
      ]}
    />
  );
}

/** What a compaction would come to. */
function Preview({ answer }: { readonly answer: CompactAnswer }) {
  const { title, detail, isBad } = tellCompact(answer);
  if (answer.type !== 'compacted')
    return (
      <Notice tone={isBad === true ? 'bad' : 'plain'} title={title}>
        {detail}
      </Notice>
    );
  const { tokensBefore, tokensAfter, messagesCompacted, outputsPruned, summary } = answer;
  return (
    <div
      role="status"
      className="flex flex-col gap-1 rounded-lg border border-line bg-ground-soft p-2 text-xs"
    >
      <p className="font-medium">Preview, nothing is stored: {title}</p>
      <p className="text-ink-soft">
        {savedPercent(tokensBefore, tokensAfter)} % less; {formatCount(messagesCompacted)} messages would be
        compacted and {formatCount(outputsPruned)} results pruned.
      </p>
      {summary !== null && (
        <details>
          <summary>The summary</summary>
          <p dir="auto" tabIndex={0} className="max-h-60 overflow-auto pt-1 break-words whitespace-pre-wrap">
            {visibleText(summary)}
          </p>
        </details>
      )}
    </div>
  );
}
