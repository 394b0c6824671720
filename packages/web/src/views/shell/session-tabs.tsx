import { Link } from 'wouter';

const places = [
  { name: 'chat', label: 'Chat', short: 'Chat', path: '' },
  { name: 'inspector', label: 'Context inspector', short: 'Inspector', path: '/inspector' },
  { name: 'trace', label: 'Trace', short: 'Trace', path: '/trace' },
] as const;

export interface SessionTabsProps {
  readonly sessionId: string;
  readonly current: (typeof places)[number]['name'];
}

/** The views of one session. */
export function SessionTabs({ sessionId, current }: SessionTabsProps) {
  return (
    <nav aria-label="Views of this session" className="flex shrink-0 gap-1 text-xs">
      {places.map(({ name, label, short, path }) => (
        <Link
          key={name}
          href={`/sessions/${sessionId}${path}`}
          aria-current={name === current ? 'page' : undefined}
          className="rounded-md px-2 py-1 text-ink-soft hover:bg-ground-strong hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:text-ink"
        >
          <span className="max-md:hidden">{label}</span>
          <span className="md:hidden">{short}</span>
        </Link>
      ))}
    </nav>
  );
}
