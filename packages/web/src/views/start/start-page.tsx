import { Button } from '../../parts/button.tsx';
import { toastFailure } from '../../parts/popups/toasts.tsx';
import { useLocation } from 'wouter';
import { useSessionActions } from '../../data/sessions.ts';

/** What is seen first. */
export function StartPage() {
  const { create } = useSessionActions();
  const [, navigate] = useLocation();
  const start = (): void =>
    void toastFailure('No session could be made', async () => navigate(`/sessions/${(await create()).id}`));
  return (
    <div className="m-auto flex max-w-xl flex-col gap-4 p-6">
      <h1 className="text-2xl font-semibold">Conversations that do not outgrow their model</h1>
      <p className="text-ink-soft">
        Throughline shortens what a model has to read again, keeps all that was said, and shows where the
        context went.
      </p>
      <div>
        <Button look="primary" onClick={start}>
          Begin a session
        </Button>
      </div>
    </div>
  );
}
