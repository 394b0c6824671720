// Sends messages to a server until it refuses them, and says what became of each: one JSON line per message.

/** What became of one message. */
export interface LoadLine {
  readonly sessionId: string;
  readonly messageId: string;
  /** `accepted`: it was said so. `refused`: it was said that it was not. `left`: accepted, and the answer not waited for. */
  readonly end: 'accepted' | 'refused' | 'left' | 'not-connected' | 'broken';
  readonly detail: string;
}

type Way = (url: string, body: object) => Promise<Pick<LoadLine, 'end' | 'detail'>>;

const [url = '', workers = '0'] = process.argv.slice(2);

const post = (path: string, body: object, accept = 'application/json'): Promise<Response> =>
  fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept },
    body: JSON.stringify(body),
  });

async function refusalOf(answer: Response): Promise<Pick<LoadLine, 'end' | 'detail'>> {
  const problem = (await answer.json()) as { readonly code: string; readonly detail: string };
  const isClear = answer.status === 503 && problem.code === 'shutting-down';
  // Whoever waits for a reply learns that the message is there, and the reply is not.
  const isLeft = problem.detail.includes('goes on by itself');
  return { end: isLeft ? 'left' : isClear ? 'refused' : 'broken', detail: JSON.stringify(problem) };
}

const ways: readonly Way[] = [
  async (_, body) => {
    const answer = await post('/api/message', body);
    if (!answer.ok) return await refusalOf(answer);
    return { end: 'accepted', detail: await answer.text() };
  },
  async (_, body) => {
    const answer = await post('/api/message?wait=true', body);
    if (!answer.ok) return await refusalOf(answer);
    return { end: 'accepted', detail: await answer.text() };
  },
  async (_, body) => {
    const answer = await post('/api/message', body, 'text/event-stream');
    if (!answer.ok) return await refusalOf(answer);
    const text = await answer.text();
    const isWhole = /^event: (run:end|stream:closed)$/m.test(text);
    return { end: isWhole ? 'accepted' : 'broken', detail: text.slice(-200) };
  },
];

async function tried(way: Way, body: object): Promise<Pick<LoadLine, 'end' | 'detail'>> {
  try {
    return await way(url, body);
  } catch (error) {
    const cause = error instanceof Error ? (error.cause as NodeJS.ErrnoException | undefined) : undefined;
    const isRefused = cause?.code === 'ECONNREFUSED';
    return { end: isRefused ? 'not-connected' : 'broken', detail: cause?.code ?? String(error) };
  }
}

async function work(worker: number): Promise<void> {
  const way = ways[worker % ways.length];
  const created = await post('/api/sessions', {});
  const { id: sessionId } = (await created.json()) as { readonly id: string };
  for (let count = 0; way; count += 1) {
    const messageId = `${worker}-${count}`;
    const content = worker % 2 === 0 ? 'Work for 3 steps' : '20 words';
    const { end, detail } = await tried(way, { sessionId, messageId, content });
    process.stdout.write(`${JSON.stringify({ sessionId, messageId, end, detail } satisfies LoadLine)}\n`);
    if (end !== 'accepted') return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

await Promise.all(Array.from({ length: Number(workers) }, (_, worker) => work(worker)));
