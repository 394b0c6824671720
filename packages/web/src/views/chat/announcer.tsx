/** The one place that speaks to who cannot see the page: what began, which tool runs, what was queued, what ended. */
export function Announcer({ text }: { readonly text: string }) {
  return (
    <p role="status" aria-live="polite" className="sr-only">
      {text}
    </p>
  );
}
