import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AddressInfo } from 'node:net';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** A model that does what is written in the messages: `[job ID steps=2 words=20 tool=50]`. */
export interface JobModel extends AsyncDisposable {
  /** With `/v1`. */
  readonly url: string;
  /** Requests that it was sent. */
  readonly asked: () => number;
  /** Answers that are under way. */
  readonly open: () => number;
}

export interface JobModelOptions {
  /** Between two words of a text. */
  readonly wordMs?: number;
  /** Before the first word. */
  readonly firstMs?: number;
  /** Whether this request is answered with 503. */
  readonly fails?: (request: number) => boolean;
}

interface Job {
  readonly id: string;
  /** So many commands, one after the other, come before the text. */
  readonly steps: number;
  readonly words: number;
  /** How long a command takes, in milliseconds. */
  readonly tool: number;
}

/** What is sent to have a job done. */
export function jobText({ id, steps = 0, words = 5, tool = 0 }: Partial<Job> & Pick<Job, 'id'>): string {
  return `[job ${id} steps=${steps} words=${words} tool=${tool}]`;
}

/** The line that a command leaves in this file of its workspace when it begins. */
export const startsFile = 'starts.txt';
const startLine = (job: string, step: number): string => `${job}/${step}`;

/**
 * Speaks Chat Completions. The next command is the first that the history does not have: a model that is asked again
 * after a crash goes on where the history ends, whatever happened to the answer before.
 */
export async function startJobModel(options: JobModelOptions = {}): Promise<JobModel> {
  let asked = 0;
  let open = 0;
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method === 'GET')
      return void response.end(JSON.stringify({ object: 'list', data: [{ id: 'job' }] }));
    asked += 1;
    if (options.fails?.(asked) === true)
      return void response.writeHead(503).end('{"error":{"message":"busy"}}');
    open += 1;
    response.once('close', () => (open -= 1));
    await answer(response, nextOf(await read(request)), options);
  };
  const server = createServer((request, response) => {
    // Who is killed in mid-answer leaves nothing to tell.
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked: () => asked,
    open: () => open,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function read(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of request.setEncoding('utf8')) text += piece as string;
  return text;
}

type Next = { readonly command: string; readonly id: string } | { readonly words: number };

const jobPattern = /\[job (\S+) steps=(\d+) words=(\d+) tool=(\d+)\]/g;

/** What comes next, read from the whole body as text: what a call has said is in it, and what a summary has dropped is not. */
function nextOf(body: string): Next {
  const jobs = [...body.matchAll(jobPattern)].map(([, id = '', steps, words, tool]): Job => ({
    id,
    steps: Number(steps),
    words: Number(words),
    tool: Number(tool),
  }));
  for (const { id, steps, tool } of jobs) {
    for (let step = 0; step < steps; step += 1) {
      const line = startLine(id, step);
      if (body.includes(`echo ${line} `)) continue;
      const wait = tool > 0 ? `; sleep ${tool / 1_000}` : '';
      return { id: `call-${line.replaceAll('/', '-')}`, command: `echo ${line} >> ${startsFile}${wait}` };
    }
  }
  return { words: jobs.at(-1)?.words ?? 3 };
}

async function answer(response: ServerResponse, next: Next, options: JobModelOptions): Promise<void> {
  const { wordMs = 0, firstMs = 0 } = options;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (delta: object, finish: string | null = null): void => {
    const choices = [{ index: 0, delta, finish_reason: finish }];
    const body = { id: 'answer', object: 'chat.completion.chunk', created: 1, model: 'job', choices };
    response.write(`data: ${JSON.stringify(body)}\n\n`);
  };
  if (firstMs > 0) await sleep(firstMs);
  if ('command' in next) {
    const call = { name: 'bash', arguments: JSON.stringify({ command: next.command }) };
    send({ role: 'assistant', tool_calls: [{ index: 0, id: next.id, type: 'function', function: call }] });
    send({}, 'tool_calls');
  } else {
    send({ role: 'assistant', content: '' });
    for (let word = 1; word <= next.words && !response.destroyed; word += 1) {
      send({ content: `word${word} ` });
      if (wordMs > 0) await sleep(wordMs);
    }
    send({}, 'stop');
  }
  response.end('data: [DONE]\n\n');
}
