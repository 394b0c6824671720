import { isObject } from '@throughline/core/codec';
import { joinPieces, joinTurns, mannerOf } from '../wire/dialect.ts';
import { badRequest, openaiFault } from '../wire/request-fault.ts';
import {
  contentAt,
  calledPart,
  dataUrlPart,
  fieldsAt,
  ignoredIn,
  listAt,
  plainText,
  resultPart,
  textAt,
  textPart,
} from '../wire/read-fields.ts';
import type { TokenUsage, UserPart } from '@throughline/agent';
import type { About, Dialect, Ended, FrameWriter, ModelAsk, AnswerPiece, Turn } from '../wire/dialect.ts';
import type { Fault } from '../wire/request-fault.ts';

/** OpenAI Responses. Reasoning is a summary of it, where the request asks for reasoning. */
export const responsesDialect: Dialect = {
  path: '/responses',
  idPrefix: 'resp_',
  read: readResponses,
  write: (about) => new ResponseFrames(about),
  whole: (about, pieces, ended) => {
    const items = joinPieces(pieces).map((piece, index) => itemOf(about, index, piece, 'completed'));
    return endedResponse(about, items, ended);
  },
  fault: openaiFault,
};

const known: ReadonlySet<string> = new Set([
  'model',
  'input',
  'instructions',
  'stream',
  'stream_options',
  'reasoning',
  'previous_response_id',
  // It only says how they are kept on the other side.
  'store',
  'include',
  'metadata',
]);

function readResponses(body: unknown): ModelAsk {
  const fields = fieldsAt(body, 'body');
  const { input, instructions: general, previous_response_id: previous, reasoning } = fields;
  const instructions = typeof general === 'string' ? [general] : [];
  let answered = typeof previous === 'string' ? previous : undefined;
  const turns: Turn[] = [];
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : listAt(input, 'input');
  for (const [index, item] of items.entries()) {
    const fields = fieldsAt(item, `input[${index}]`);
    answered = answerOfItem(fields) ?? answered;
    const read = readItem(fields, `input[${index}]`);
    if (typeof read === 'string') instructions.push(read);
    else if (read) turns.push(read);
  }
  const joined = joinTurns(turns);
  const last = joined.at(-1);
  if (last?.role !== 'user') throw badRequest('input', 'a list that ends with a message of the user');
  return {
    model: textAt(fields['model'], 'model'),
    instructions: instructions.filter((text) => text.trim() !== '').join('\n\n'),
    earlier: joined.slice(0, -1),
    content: last.parts,
    isStreamed: fields['stream'] === true,
    wantsReasoning: isObject(reasoning) && typeof reasoning['summary'] === 'string',
    wantsUsage: true,
    ...(answered === undefined ? {} : { previousResponseId: answered }),
    manner: mannerOf(fields),
    ignored: ignoredIn(fields, known),
  };
}

/** The response that an item is of, where a client names items of ours instead of sending them. */
function answerOfItem({ type, id }: Readonly<Record<string, unknown>>): string | undefined {
  if (type !== 'item_reference' || typeof id !== 'string') return undefined;
  return /^(?:msg|rs)_(resp_.+)_\d+$/.exec(id)?.[1];
}

/** A turn; a text of instructions; or nothing, for items that only the model has a use for. */
function readItem(item: Readonly<Record<string, unknown>>, path: string): Turn | string | undefined {
  const { type = 'message', role, content, name, arguments: args, input, output } = item;
  if (type === 'message') {
    if (role === 'system' || role === 'developer') return plainText(content);
    if (role === 'user') return { role, parts: contentAt(content, `${path}.content`, readPart) };
    if (role === 'assistant') return { role, parts: textPart(plainText(content)) };
    throw badRequest(`${path}.role`, 'user, assistant, system or developer');
  }
  if (typeof type === 'string' && type.endsWith('_call_output'))
    return { role: 'assistant', parts: [resultPart(output)] };
  if (typeof type === 'string' && type.endsWith('_call'))
    return { role: 'assistant', parts: [calledPart(name ?? type, args ?? input ?? {})] };
  return undefined;
}

function readPart(part: Readonly<Record<string, unknown>>, path: string): readonly UserPart[] {
  const { type, text, image_url: image, file_data: file, filename } = part;
  if (type === 'input_text' || type === 'output_text') return textPart(text);
  if (type === 'input_image') return [dataUrlPart(image, `${path}.image_url`)];
  if (type === 'input_file') return [dataUrlPart(file, `${path}.file_data`, filename)];
  throw badRequest(`${path}.type`, 'input_text, input_image or input_file');
}

const incomplete = { stop: null, length: 'max_output_tokens', refusal: 'content_filter' } as const;

function responseOf({ id, model, createdAtMs, previousResponseId = '' }: About, more: object): object {
  return {
    id,
    object: 'response',
    created_at: Math.floor(createdAtMs / 1_000),
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    model,
    output: [],
    parallel_tool_calls: true,
    previous_response_id: previousResponseId === '' ? null : previousResponseId,
    temperature: null,
    tool_choice: 'auto',
    tools: [],
    top_p: null,
    ...more,
  };
}

function endedResponse(about: About, output: readonly object[], { finish, usage }: Ended): object {
  const reason = incomplete[finish];
  return responseOf(about, {
    status: reason === null ? 'completed' : 'incomplete',
    incomplete_details: reason === null ? null : { reason },
    output,
    usage: usage ? responseUsage(usage) : null,
  });
}

function responseUsage({ input, output, reasoning, cacheRead }: TokenUsage): object {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cacheRead },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}

function itemOf({ id }: About, index: number, { type, delta }: AnswerPiece, status: string): object {
  if (type === 'reasoning') return { id: `rs_${id}_${index}`, type, summary: [summaryPart(delta)], status };
  return {
    id: `msg_${id}_${index}`,
    type: 'message',
    role: 'assistant',
    status,
    content: [outputPart(delta)],
  };
}

function outputPart(text: string): object {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

function summaryPart(text: string): object {
  return { type: 'summary_text', text };
}

const names = {
  text: {
    part: 'response.content_part',
    delta: 'response.output_text',
    place: 'content_index',
    of: outputPart,
  },
  reasoning: {
    part: 'response.reasoning_summary_part',
    delta: 'response.reasoning_summary_text',
    place: 'summary_index',
    of: summaryPart,
  },
} as const;

class ResponseFrames implements FrameWriter {
  readonly #about: About;
  readonly #items: object[] = [];
  #open: AnswerPiece | undefined;
  #sequence = 0;

  constructor(about: About) {
    this.#about = about;
  }

  begin(): string {
    const response = responseOf(this.#about, {});
    return `${this.#frame('response.created', { response })}${this.#frame('response.in_progress', { response })}`;
  }

  take(piece: AnswerPiece): string {
    const opened = this.#open?.type === piece.type ? '' : `${this.#close()}${this.#begin(piece.type)}`;
    this.#open = { type: piece.type, delta: (this.#open?.delta ?? '') + piece.delta };
    const { delta } = names[piece.type];
    const logprobs = piece.type === 'text' ? { logprobs: [] } : {};
    return `${opened}${this.#frame(`${delta}.delta`, { ...this.#place(piece.type), delta: piece.delta, ...logprobs })}`;
  }

  end(ended: Ended): string {
    const closed = this.#close();
    const type = ended.finish === 'stop' ? 'response.completed' : 'response.incomplete';
    return `${closed}${this.#frame(type, { response: endedResponse(this.#about, this.#items, ended) })}`;
  }

  fail(fault: Fault): string {
    const { code, message } = openaiFault(fault).error;
    const closed = this.#close();
    const response = responseOf(this.#about, {
      status: 'failed',
      output: this.#items,
      error: { code: code ?? 'server_error', message },
    });
    return `${closed}${this.#frame('response.failed', { response })}`;
  }

  #begin(type: AnswerPiece['type']): string {
    const index = this.#items.length;
    const item = itemOf(this.#about, index, { type, delta: '' }, 'in_progress');
    const empty = type === 'text' ? { ...item, content: [] } : { ...item, summary: [] };
    const { part, of } = names[type];
    return `${this.#frame('response.output_item.added', { output_index: index, item: empty })}${this.#frame(`${part}.added`, { ...this.#place(type), part: of('') })}`;
  }

  #close(): string {
    const open = this.#open;
    if (!open) return '';
    this.#open = undefined;
    const { type, delta: text } = open;
    const { part, delta, of } = names[type];
    const place = this.#place(type);
    const item = itemOf(this.#about, this.#items.length, open, 'completed');
    const logprobs = type === 'text' ? { logprobs: [] } : {};
    const frames = [
      this.#frame(`${delta}.done`, { ...place, text, ...logprobs }),
      this.#frame(`${part}.done`, { ...place, part: of(text) }),
      this.#frame('response.output_item.done', { output_index: this.#items.length, item }),
    ];
    this.#items.push(item);
    return frames.join('');
  }

  #place(type: AnswerPiece['type']): object {
    const index = this.#items.length;
    const prefix = type === 'text' ? 'msg' : 'rs';
    return { item_id: `${prefix}_${this.#about.id}_${index}`, output_index: index, [names[type].place]: 0 };
  }

  #frame(type: string, data: object): string {
    const sequence = this.#sequence;
    this.#sequence += 1;
    return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence, ...data })}\n\n`;
  }
}
