import { clientLines, modelLines, routeLines } from './lines-to-copy.ts';
import { CodeLines } from './code-lines.tsx';
import { serverUrl } from '../../data/access.ts';
import { Link } from 'wouter';
import { useProxyRoutes } from '../../data/proxy.ts';

/** How to set a model. */
export function SetModel({ isDemo }: { readonly isDemo: boolean }) {
  return (
    <details open={isDemo} className="rounded-lg border border-line px-4 py-2">
      <summary className="font-semibold">Set a model</summary>
      <div className="flex flex-col gap-3 pt-2">
        {modelLines.map((lines) => (
          <CodeLines key={lines.label} {...lines} />
        ))}
        <p className="text-xs text-ink-soft">
          <FileTrust /> Stop the server with Ctrl-C first. In a clone the command is{' '}
          <code>./throughline</code>. A model that needs no new key can be{' '}
          <Link href="/settings" className="text-accent underline">
            named while the server runs
          </Link>
          .
        </p>
      </div>
    </details>
  );
}

/** How to point a client at a proxy of this very server. */
export function PointClient() {
  const routes = useProxyRoutes();
  const names = routes.state === 'ready' ? routes.value.map(({ name }) => name) : [];
  const [first = 'claude'] = names;
  return (
    <details className="rounded-lg border border-line px-4 py-2">
      <summary className="font-semibold">Put it between a client and its model</summary>
      <div className="flex flex-col gap-3 pt-2">
        <p className="text-sm text-ink-soft">
          Claude Code, Codex and others change one address; their conversations then fit the window, and are
          seen here under Proxy.
        </p>
        {names.length === 0 && (
          <>
            <CodeLines {...routeLines} />
            <p className="text-xs text-ink-soft">
              <FileTrust />
            </p>
          </>
        )}
        {clientLines(serverUrl(), first).map((lines) => (
          <CodeLines key={lines.label} {...lines} />
        ))}
        {names.length > 1 && (
          <p className="text-xs break-words text-ink-soft">
            Other proxies of this server: {names.slice(1).join(', ')}. Put the name in place of {first}.
          </p>
        )}
      </div>
    </details>
  );
}

/** A file that lies in a folder says where keys go: it counts only for who has said that it may. */
function FileTrust() {
  return (
    <>
      A <code>throughline.yaml</code> of the folder is asked about once before it may do this; without a
      terminal add <code>--trust</code>.
    </>
  );
}
