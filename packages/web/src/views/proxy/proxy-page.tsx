import { ConversationsTable } from './conversations-table.tsx';
import { FailureNotice, Loading, Notice } from '../../parts/notice.tsx';
import { RouteCard } from './route-card.tsx';
import { useProxyConversations, useProxyRoutes } from '../../data/proxy.ts';

/** The proxies of this server, what went through them, and the conversations that clients had. */
export function ProxyPage() {
  return (
    <>
      <header className="flex min-h-12 shrink-0 items-center border-b border-line px-4 max-md:pl-12">
        <h1 className="font-semibold">Proxy</h1>
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto p-4">
        <div className="mx-auto flex max-w-5xl flex-col gap-6">
          <Routes />
          <Conversations />
        </div>
      </div>
    </>
  );
}

function Routes() {
  const routes = useProxyRoutes();
  return (
    <section aria-label="Routes" className="flex flex-col gap-3">
      <h2 className="font-semibold">Routes</h2>
      {routes.state === 'loading' && <Loading what="the routes" />}
      {routes.state === 'failed' && <FailureNotice failure={routes.failure} />}
      {routes.state === 'ready' && routes.value.length === 0 && <NoRoutes />}
      {routes.state === 'ready' && (
        <ul className="grid gap-3 md:grid-cols-2">
          {routes.value.map((route) => (
            <RouteCard key={route.name} route={route} />
          ))}
        </ul>
      )}
    </section>
  );
}

const example = `proxy:
  routes:
    local:
      upstream: http://127.0.0.1:8080`;

function NoRoutes() {
  return (
    <Notice title="No proxy is configured">
      <p>
        A route puts any client (Claude Code, Codex, OpenCode, your own program) in front of any model server,
        and keeps its conversations inside the window. In the configuration file:
      </p>
      <pre
        tabIndex={0}
        aria-label="Example of a route"
        className="my-2 overflow-auto rounded bg-ground p-2 font-mono text-xs text-ink"
      >
        {example}
      </pre>
      <p>
        Clients then use <code>/proxy/local</code> of this server in the place of that address.
      </p>
    </Notice>
  );
}

function Conversations() {
  const conversations = useProxyConversations();
  return (
    <section aria-label="Conversations" className="flex flex-col gap-3">
      <h2 className="font-semibold">Conversations</h2>
      {conversations.state === 'loading' && <Loading what="the conversations" />}
      {conversations.state === 'failed' && <FailureNotice failure={conversations.failure} />}
      {conversations.state === 'ready' && <ConversationsTable {...conversations.value} />}
    </section>
  );
}
