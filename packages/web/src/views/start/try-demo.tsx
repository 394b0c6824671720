import { Button } from '../../parts/button.tsx';
import { toastFailure } from '../../parts/popups/toast.ts';
import { useLocation } from 'wouter';
import { useSessionActions } from '../../data/sessions.ts';

interface Trial {
  readonly say: string;
  readonly shows: string;
}

const trials: readonly Trial[] = [
  { say: 'explore', shows: 'It looks at the files of its folder, and asks before it runs a command.' },
  { say: 'make a plan', shows: 'It writes a list of what to do.' },
  { say: 'work for 30 steps', shows: 'It fills its window until it is compacted: watch the meter.' },
];

/** The demo model understands a few phrases: each begins a session. */
export function TryDemo() {
  const { begin } = useSessionActions();
  const [, navigate] = useLocation();
  const start = (text: string): void =>
    void toastFailure('No session could be begun', async () => navigate(`/sessions/${await begin(text)}`));
  return (
    <section aria-labelledby="try-demo" className="flex flex-col gap-2">
      <h2 id="try-demo" className="font-semibold">
        Try it now
      </h2>
      <p className="text-sm text-ink-soft">
        No model is set up, so the demo answers: a script that needs no key, whose tools are real.
      </p>
      <ul className="grid gap-2 sm:grid-cols-3">
        {trials.map(({ say, shows }) => (
          <li key={say} className="flex flex-col gap-1">
            <Button onClick={() => start(say)}>{say}</Button>
            <p className="text-xs text-ink-soft">{shows}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
