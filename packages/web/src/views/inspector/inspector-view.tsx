import { CacheView } from './cache-view.tsx';
import { CompactionsView } from './compactions-view.tsx';
import { CompareView } from './compare-view.tsx';
import { FloorView } from './floor-view.tsx';
import { RequestView } from './request/request-view.tsx';
import { StepSlider } from './step-slider.tsx';
import { Tabs } from '@base-ui/react/tabs';
import { useState } from 'react';
import { WhatIfView } from './what-if-view.tsx';
import type { StepIndex } from '../../inspect/inspected.ts';
import type { InspectorViewProps } from './request/step-view.ts';

const tabs = [
  { name: 'request', label: 'Request', View: RequestView },
  { name: 'compactions', label: 'Compactions', View: CompactionsView },
  { name: 'what-if', label: 'What if', View: WhatIfView },
  { name: 'floor', label: 'What goes next', View: FloorView },
  { name: 'cache', label: 'Prefix cache', View: CacheView },
  { name: 'compare', label: 'Compare', View: CompareView },
] as const;

/** One inspector for sessions, proxied conversations and files. */
export function InspectorView(props: InspectorViewProps) {
  const [step, setStep] = useState<StepIndex>('next');
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <StepSlider inspected={props.inspected} step={step} onStep={setStep} />
      <Tabs.Root defaultValue="request" className="flex min-h-0 flex-1 flex-col">
        <Tabs.List
          aria-label="Views of this request"
          className="flex shrink-0 gap-1 overflow-x-auto border-b border-line px-3 text-sm"
        >
          {tabs.map(({ name, label }) => (
            <Tabs.Tab
              key={name}
              value={name}
              className="shrink-0 border-b-2 border-transparent px-2 py-1.5 text-ink-soft hover:text-ink data-active:border-accent data-active:text-ink"
            >
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map(({ name, View }) => (
          <Tabs.Panel
            key={name}
            value={name}
            className="min-h-0 flex-1 overflow-hidden outline-offset-[-2px]"
          >
            <View {...props} step={step} />
          </Tabs.Panel>
        ))}
      </Tabs.Root>
    </div>
  );
}
