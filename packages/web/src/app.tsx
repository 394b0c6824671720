import { Boundary } from './parts/boundary.tsx';
import { Button } from './parts/button.tsx';
import { ChatPage } from './views/chat/chat-page.tsx';
import { ConnectionBanner } from './views/shell/connection-banner.tsx';
import { CSPProvider } from '@base-ui/react/csp-provider';
import { forgetToken, keepToken, storedToken } from './data/access.ts';
import { Locked } from './views/shell/locked.tsx';
import { openPageData, PageDataProvider, useConnection } from './data/page-data.tsx';
import { Route, Router, Switch, useLocation } from 'wouter';
import { Shell } from './views/shell/shell.tsx';
import { StartPage } from './views/start/start-page.tsx';
import { ToStart } from './parts/to-start.tsx';
import { Toasts } from './parts/popups/toasts.tsx';
import { useHashLocation } from 'wouter/use-hash-location';
import { lazy, Suspense, useState } from 'react';
import { FailureNotice, Loading } from './parts/notice.tsx';
import type { ReactNode } from 'react';

const ProxyPage = lazy(async () => ({ default: (await import('./views/proxy/proxy-page.tsx')).ProxyPage }));
const SettingsPage = lazy(async () => ({
  default: (await import('./views/settings/settings-page.tsx')).SettingsPage,
}));
const TracePage = lazy(async () => ({ default: (await import('./views/trace/trace-page.tsx')).TracePage }));

/** The whole page. Addresses are behind the `#`, so that every path of the server stays the server's. */
export function App() {
  const [data, setData] = useState(openPageData);
  const reopen = (): void => {
    data.close();
    setData(openPageData());
  };
  return (
    <CSPProvider disableStyleElements>
      <PageDataProvider data={data}>
        <Router hook={useHashLocation}>
          <Boundary place="page" fallback={<Broken />}>
            <Gate onToken={reopen} />
          </Boundary>
        </Router>
      </PageDataProvider>
      <Toasts />
    </CSPProvider>
  );
}

/** What is not seen at once is loaded when it is. */
const SessionInspector = lazy(() =>
  import('./views/inspector/inspector-page.tsx').then((module) => ({ default: module.SessionInspector })),
);
const ConversationInspector = lazy(() =>
  import('./views/inspector/inspector-page.tsx').then((module) => ({
    default: module.ConversationInspector,
  })),
);
const FileInspector = lazy(() =>
  import('./views/inspector/file-page.tsx').then((module) => ({ default: module.FileInspector })),
);

function Lazily({ view }: { readonly view: ReactNode }) {
  return <Suspense fallback={<Loading what="this view" />}>{view}</Suspense>;
}

/** In the place of a view whose code did not arrive, because the server is gone or has another version by now. */
function Broken({ wayOut }: { readonly wayOut?: ReactNode }) {
  const failure = {
    title: 'This could not be shown',
    detail: 'A part of the page did not arrive, or broke. Nothing that was sent is lost.',
    code: 'page-fault',
  };
  const actions = (
    <>
      <Button onClick={() => globalThis.location.reload()}>Load the page again</Button>
      {wayOut}
    </>
  );
  return (
    <div className="m-auto max-w-lg p-6">
      <FailureNotice failure={failure} actions={actions} />
    </div>
  );
}

/** What is no escaped name is taken as it stands: no conversation is called so, and that is said. */
function unescaped(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function Gate({ onToken }: { readonly onToken: () => void }) {
  const connection = useConnection();
  const [location] = useLocation();
  if (connection.state === 'locked')
    return (
      <Locked
        wasRefused={storedToken() !== undefined}
        onToken={(token, forLong) => {
          forgetToken();
          keepToken(token, forLong);
          onToken();
        }}
      />
    );
  return (
    <Shell banner={<ConnectionBanner connection={connection} />}>
      <Boundary place={location} fallback={<Broken wayOut={<ToStart />} />}>
        <Switch>
          <Route path="/sessions/:id">{({ id }) => <ChatPage key={id} sessionId={id} />}</Route>
          <Route path="/sessions/:id/at/:place">
            {({ id, place }) => <ChatPage key={id} sessionId={id} place={place} />}
          </Route>
          <Route path="/sessions/:id/inspector">
            {({ id }) => <Lazily view={<SessionInspector key={id} sessionId={id} />} />}
          </Route>
          <Route path="/sessions/:id/inspector/:place">
            {({ id, place }) => <Lazily view={<SessionInspector key={id} sessionId={id} place={place} />} />}
          </Route>
          <Route path="/proxy/conversations/:id/inspector">
            {({ id }) => <Lazily view={<ConversationInspector key={id} conversationId={unescaped(id)} />} />}
          </Route>
          <Route path="/inspector">
            <Lazily view={<FileInspector />} />
          </Route>
          <Route path="/inspector/example">
            <Lazily view={<FileInspector isExample />} />
          </Route>
          <Route path="/sessions/:id/trace">
            {({ id }) => <Lazily view={<TracePage key={id} sessionId={id} />} />}
          </Route>
          <Route path="/proxy">
            <Lazily view={<ProxyPage />} />
          </Route>
          <Route path="/settings">
            <Lazily view={<SettingsPage />} />
          </Route>
          <Route>
            <StartPage />
          </Route>
        </Switch>
      </Boundary>
    </Shell>
  );
}
