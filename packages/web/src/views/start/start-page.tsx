import { Button } from '../../parts/button.tsx';
import { DropZone } from '../../parts/drops/drop-zone.tsx';
import { FailureNotice } from '../../parts/notice.tsx';
import { Link, useLocation } from 'wouter';
import { PointClient, SetModel } from './set-up.tsx';
import { recordedFile } from '../inspector/recorded-file.ts';
import { TryDemo } from './try-demo.tsx';
import { useSessionDeeds } from '../shell/use-session-deeds.ts';
import { useSettings } from '../../data/settings.ts';

/** What is seen first: what this is, something to try at once, and how to go on from there. */
export function StartPage() {
  const settings = useSettings();
  const isReady = settings.state === 'ready';
  const isDemo = isReady && settings.value.model.split(':', 1)[0] === 'demo';
  return (
    <div className="h-full overflow-y-auto">
      <div className="mx-auto flex max-w-2xl flex-col gap-6 p-6 max-md:pt-14">
        <header className="flex flex-col gap-2">
          <h1 className="text-2xl font-semibold">Conversations that do not outgrow their model</h1>
          <p className="text-ink-soft">
            Throughline shortens what a model has to read again, keeps all that was said, and shows where the
            context went. Talk to its agent here, or put it between your own agent and its model.
          </p>
        </header>
        {settings.state === 'failed' && <FailureNotice failure={settings.failure} />}
        {isReady && (isDemo ? <TryDemo /> : <Begin model={settings.value.model} />)}
        <Example />
        {isReady && <SetModel isDemo={isDemo} />}
        <PointClient />
      </div>
    </div>
  );
}

function Begin({ model }: { readonly model: string }) {
  const { create } = useSessionDeeds();
  return (
    <section className="flex flex-wrap items-center gap-3">
      <Button look="primary" onClick={create}>
        Begin a session
      </Button>
      <p className="text-sm text-ink-soft">
        <span dir="auto">{model}</span> answers.
      </p>
    </section>
  );
}

function Example() {
  const [, navigate] = useLocation();
  return (
    <section aria-labelledby="example" className="flex flex-col gap-1">
      <h2 id="example" className="font-semibold">
        Look into a recorded session
      </h2>
      <p className="text-sm text-ink-soft">
        Where did the context go, and why is something in it? Open an{' '}
        <Link href="/inspector/example" className="text-accent underline">
          example in the inspector
        </Link>
        , or{' '}
        <Link href="/inspector" className="text-accent underline">
          a recording of your own
        </Link>
        , dropped here: Claude Code, Codex, OpenCode and others. It is read in this page and sent nowhere.
      </p>
      <DropZone
        invitation="Drop to look into it"
        onFiles={([dropped]) => {
          if (!dropped) return;
          recordedFile.keep(dropped);
          navigate('/inspector');
        }}
      />
    </section>
  );
}
