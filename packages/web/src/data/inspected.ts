import { formatLabels } from '@throughline/importers/text';
import { fromFile, readFile } from '../inspect/source/from-file.ts';
import { conversationTitle } from '../inspect/source/task-title.ts';
import { loadableOf } from './loadable.ts';
import { readInspected, readInspectedConversation } from './read-inspected.ts';
import { useMemo, useState } from 'react';
import { usePageData } from './page-data.tsx';
import { useQuery } from '@tanstack/react-query';
import type { FileOptions } from '../inspect/source/from-file.ts';
import type { Inspected, InspectedPass } from '../inspect/inspected.ts';
import type { Loadable } from './loadable.ts';
import type { UndoAnswer } from './types.ts';
import type { RequestToSend } from '../inspect/as-curl.ts';

/** What can be done from the inspector; nothing where there is only a file. */
export interface InspectorActions {
  readonly undo: () => Promise<UndoAnswer>;
  readonly redo: (pass: InspectedPass) => Promise<unknown>;
  readonly pin: (ordinal: number, isPinned: boolean) => Promise<unknown>;
  /** The whole of what only the server has. */
  readonly recall: (recallId: string) => Promise<string>;
}

interface InspectedSession {
  readonly inspected: Loadable<Inspected>;
  readonly actions: InspectorActions;
  readonly refresh: () => void;
}

/** A live session as the inspector looks at it. It is read anew when it is asked for, and after each action. */
export function useInspectedSession(id: string): InspectedSession {
  const { client, queries } = usePageData();
  const key = useMemo(() => ['inspected', id], [id]);
  const query = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => readInspected(client, id, { signal }),
    staleTime: 0,
    gcTime: 60_000,
    // It holds an open transcript: to compare it would walk through all of it.
    structuralSharing: false,
  });
  return useMemo(() => {
    const refresh = (): void => void queries.invalidateQueries({ queryKey: key });
    const act = async <Answer>(call: Promise<Answer>): Promise<Answer> => {
      try {
        return await call;
      } finally {
        refresh();
      }
    };
    const actions: InspectorActions = {
      undo: () => act(client.undoCompaction({ id })),
      redo: ({ id: checkpointId }) => act(client.redoCompaction({ id, checkpointId })),
      pin: (ordinal, isPinned) => act(isPinned ? client.pin({ id, ordinal }) : client.unpin({ id, ordinal })),
      recall: async (recallId) => (await client.recall({ id, recallId })).text,
    };
    return { inspected: loadableOf({ data: query.data, error: query.error }), actions, refresh };
  }, [client, id, key, queries, query.data, query.error]);
}

/** A request without the name of its format, which is that of the session. */
type RecordedRequest = Omit<RequestToSend, 'format'>;

const lookMs = 2_000;

/**
 * A conversation that a client has through a proxy, read anew when the client has gone on. The client owns its history:
 * nothing of it can be changed here.
 */
export function useInspectedConversation(id: string): Omit<InspectedSession, 'actions'> {
  const { client, queries } = usePageData();
  const newest = useQuery({
    queryKey: ['proxy', 'conversation', id],
    queryFn: async ({ signal }) => {
      const { messageCount, requestCount, updatedAtMs } = await client.getProxyConversation(
        { id },
        { signal },
      );
      return [messageCount, requestCount, updatedAtMs].join(' ');
    },
    refetchInterval: lookMs,
  });
  const query = useQuery({
    queryKey: ['inspected-conversation', id, newest.data],
    queryFn: ({ signal }) => readInspectedConversation(client, id, { signal }),
    enabled: newest.data !== undefined,
    // What was read stays in sight while it is read anew.
    placeholderData: (before, of) => (of?.queryKey[1] === id ? before : undefined),
    staleTime: 0,
    gcTime: 5_000,
    structuralSharing: false,
  });
  const refresh = (): void => {
    void queries.invalidateQueries({ queryKey: ['proxy', 'conversation', id] });
    void queries.invalidateQueries({ queryKey: ['inspected-conversation', id] });
  };
  const error = query.error ?? (query.data ? null : newest.error);
  return { inspected: loadableOf({ data: query.data, error }), refresh };
}

/** The request of a step, as the server makes it anew. */
interface SentRequest {
  readonly request: RecordedRequest;
  /** It is what was sent. */
  readonly isExact: boolean;
}

export function useSentRequest(
  sessionId: string | undefined,
  seq: number | null,
): Loadable<SentRequest | null> {
  const { client } = usePageData();
  const query = useQuery({
    queryKey: ['sent-request', sessionId, seq],
    queryFn: async ({ signal }) => {
      const { request, model, isExact } = await client.getStepRequest(
        { id: sessionId ?? '', seq: seq ?? 0 },
        { signal },
      );
      const found = requestIn(request, model);
      return found && { request: found, isExact };
    },
    enabled: sessionId !== undefined && seq !== null,
    staleTime: Infinity,
  });
  return loadableOf(query);
}

function requestIn(request: unknown, model: string): RecordedRequest | null {
  if (typeof request !== 'object' || request === null || !('messages' in request)) return null;
  return { model, ...(request as Omit<RecordedRequest, 'model'>) };
}

export type OpenedFile =
  | { readonly state: 'none' }
  | { readonly state: 'reading'; readonly name: string }
  | { readonly state: 'failed'; readonly name: string; readonly detail: string }
  | {
      readonly state: 'open';
      readonly name: string;
      /** What the file is, in words. */
      readonly format: string;
      readonly titles: readonly string[];
      /** What of the file was not understood, with its place. */
      readonly notes: readonly { readonly line?: number; readonly note: string }[];
      readonly inspected: Inspected;
    };

export interface InspectedFile {
  readonly opened: OpenedFile;
  readonly open: (file: File) => Promise<void>;
  readonly openExample: () => Promise<void>;
  /** Another conversation of the same file, another window or strategy. */
  readonly choose: (index: number, options: FileOptions) => void;
  readonly close: () => void;
}

/** A recorded file, read in this page: nothing of it is sent anywhere. */
export function useInspectedFile(): InspectedFile {
  const [opened, setOpened] = useState<OpenedFile>({ state: 'none' });
  const [recording, setRecording] = useState<Awaited<ReturnType<typeof readFile>>>();
  const show = (
    from: Awaited<ReturnType<typeof readFile>>,
    name: string,
    index: number,
    options: FileOptions,
  ): void => {
    const titles = from.sessions.map(conversationTitle);
    const { notes } = from;
    const format = formatLabels[from.format];
    setOpened({ state: 'open', name, format, titles, notes, inspected: fromFile(from, index, options) });
  };
  const openFrom = async (name: string, from: () => File | Promise<File>): Promise<void> => {
    setOpened({ state: 'reading', name });
    try {
      const read = await readFile(await from(), name);
      setRecording(read);
      show(read, name, 0, {});
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error);
      // The name stands above it.
      const detail = said.startsWith(`${name}: `) ? said.slice(name.length + 2) : said;
      setOpened({ state: 'failed', name, detail });
    }
  };
  return {
    opened,
    open: (file) => openFrom(file.name, () => file),
    openExample: () => openFrom('example-session.jsonl', readExampleFile),
    choose(index, options) {
      if (recording && opened.state === 'open') show(recording, opened.name, index, options);
    },
    close: () => setOpened({ state: 'none' }),
  };
}

/** A made-up session of Claude Code, which comes with the page. */
async function readExampleFile(): Promise<File> {
  const answer = await fetch(new URL('./example-session.jsonl', import.meta.url));
  if (!answer.ok) throw new Error(`The server answers ${answer.status} for the example.`);
  return new File([await answer.blob()], 'example-session.jsonl');
}
