import { Button } from '../../parts/button.tsx';
import { DropZone } from '../../parts/drops/drop-zone.tsx';
import { Empty, Notice } from '../../parts/notice.tsx';
import { FileUp } from 'lucide-react';
import { formatCount } from '../../parts/format.ts';
import { InspectorView } from './inspector-view.tsx';
import { recordedFile } from './recorded-file.ts';
import { Select } from '../../parts/select.tsx';
import { useInspectedFile } from '../../data/inspected.ts';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { readableText, visibleText } from '../../parts/visible-text.ts';
import type { Inspected } from '../../inspect/inspected.ts';
import type { InspectedFile, OpenedFile } from '../../data/inspected.ts';

/** A recorded file in the inspector. It is read in this page and stays there. */
export function FileInspector({ isExample = false }: { readonly isExample?: boolean }) {
  const file = useInspectedFile();
  const openFirst = useEffectEvent(() => {
    const kept = recordedFile.get();
    if (isExample) void file.openExample();
    else if (kept) void file.open(kept);
  });
  useEffect(() => openFirst(), [isExample]);
  const open = (chosen: File): void => {
    recordedFile.keep(chosen);
    void file.open(chosen);
  };
  const { opened } = file;
  return (
    <div className="flex h-full flex-col">
      <header className="flex min-h-12 shrink-0 flex-wrap items-center gap-2 border-b border-line px-4 py-1 max-md:pl-12">
        <div className="min-w-0 flex-1">
          <h1 dir="auto" className="truncate font-semibold">
            {opened.state === 'open' ? readableText(opened.inspected.title) : 'Context inspector'}
          </h1>
          {opened.state === 'open' && (
            <p dir="auto" className="truncate text-xs text-ink-soft">
              {visibleText(opened.name)}: {opened.format}
            </p>
          )}
        </div>
        <OpenButton onFile={open} />
      </header>
      {opened.state === 'open' ? <OpenedView file={file} opened={opened} /> : <Invitation opened={opened} />}
      <DropZone invitation="Drop to look into it" onFiles={([dropped]) => dropped && open(dropped)} />
    </div>
  );
}

function OpenButton({ onFile }: { readonly onFile: (file: File) => void }) {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button isSmall look="primary" onClick={() => picker.current?.click()}>
        <FileUp size={14} aria-hidden /> Open a file
      </Button>
      <input
        ref={picker}
        type="file"
        hidden
        aria-label="Recorded session"
        onChange={({ target }) => {
          const [chosen] = target.files ?? [];
          if (chosen) onFile(chosen);
          target.value = '';
        }}
      />
    </>
  );
}

function Invitation({ opened }: { readonly opened: Exclude<OpenedFile, { readonly state: 'open' }> }) {
  return (
    <div className="m-auto flex max-w-xl flex-col gap-3 p-6">
      {opened.state === 'failed' && (
        <Notice tone="bad" title={`${opened.name} could not be read`}>
          {opened.detail}
        </Notice>
      )}
      {opened.state === 'reading' ? (
        <p role="status">Reads {opened.name} …</p>
      ) : (
        <Empty title="Drop a recorded session on this page">
          Claude Code, Codex, OpenCode, pi, Cline, Gemini CLI, OpenAI and Anthropic requests and more are
          known. The file is read here; nothing of it is sent anywhere. Sessions of this server are inspected
          from their chat.
        </Empty>
      )}
    </div>
  );
}

interface OpenedViewProps {
  readonly file: InspectedFile;
  readonly opened: Extract<OpenedFile, { readonly state: 'open' }>;
}

const windows = [8_000, 16_000, 32_000, 64_000, 128_000, 200_000, 400_000, 1_000_000];

function OpenedView({ file, opened: { inspected, titles, notes } }: OpenedViewProps) {
  const [index, setIndex] = useState('0');
  const [windowTokens, setWindow] = useState('');
  const [ownWindow, setOwnWindow] = useState('');
  const ownLabel = windowTokens === '' ? ownWindowLabel(inspected) : ownWindow;
  const choose = (at: string, tokens: string): void => {
    setIndex(at);
    setWindow(tokens);
    setOwnWindow(ownLabel);
    file.choose(Number(at), tokens === '' ? {} : { windowTokens: Number(tokens) });
  };
  return (
    <>
      <div className="flex shrink-0 flex-wrap gap-2 px-4 py-2">
        {titles.length > 1 && (
          <Select
            label="Conversation"
            value={index}
            choices={titles.map((label, at) => ({ value: String(at), label }))}
            onChange={(at) => choose(at, '')}
          />
        )}
        <Select
          label="Window"
          value={windowTokens}
          choices={[
            { value: '', label: ownLabel },
            ...windows.map((tokens) => ({ value: String(tokens), label: `${tokens / 1_000}k tokens` })),
          ]}
          onChange={(tokens) => choose(index, tokens)}
        />
      </div>
      <Notes notes={notes} />
      <InspectorView key={index} inspected={inspected} actions={null} />
    </>
  );
}

function ownWindowLabel({ setup: { isWindowKnown, windowTokens } }: Inspected): string {
  return `${isWindowKnown ? 'as its model has it' : 'not known'}: ${formatCount(windowTokens)}`;
}

/** What was passed over is never silent. */
function Notes({ notes }: Pick<OpenedViewProps['opened'], 'notes'>) {
  if (notes.length === 0) return null;
  return (
    <details className="shrink-0 px-4 pb-2 text-xs text-warn">
      <summary>
        {notes.length === 1 ? 'A note on what was read' : `${notes.length} notes on what was read`}
      </summary>
      <ul className="max-h-32 list-disc overflow-auto ps-5">
        {notes.map(({ line, note }, at) => (
          <li key={at} dir="auto">
            {line === undefined ? '' : `Line ${line}: `}
            {note}
          </li>
        ))}
      </ul>
    </details>
  );
}
