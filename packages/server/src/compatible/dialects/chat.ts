import { isObject } from '@throughline/core/codec';
import { joinTurns, mannerOf, textOf } from '../wire/dialect.ts';
import { badRequest, openaiFault } from '../wire/request-fault.ts';
import {
  contentAt,
  calledPart,
  dataUrlPart,
  fieldsAt,
  ignoredIn,
  listAt,
  mediaPart,
  plainText,
  resultPart,
  textAt,
  textPart,
} from '../wire/read-fields.ts';
import type { TokenUsage, UserPart } from '@throughline/agent';
import type {
  About,
  Dialect,
  Ended,
  Finish,
  FrameWriter,
  ModelAsk,
  AnswerPiece,
  Turn,
} from '../wire/dialect.ts';
import type { Fault } from '../wire/request-fault.ts';

/** OpenAI Chat Completions. Reasoning goes into `reasoning_content`, as the field has it. */
export const chatDialect: Dialect = {
  path: '/chat/completions',
  idPrefix: 'chatcmpl-',
  read: readChat,
  write: (about) => new ChatFrames(about),
  whole(about, pieces, { finish, usage }) {
    const reasoning = textOf(pieces, 'reasoning');
    const message = {
      role: 'assistant',
      content: textOf(pieces),
      refusal: null,
      ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    };
    return {
      ...headOf(about, 'chat.completion'),
      choices: [{ index: 0, message, logprobs: null, finish_reason: finishReasons[finish] }],
      ...(usage ? { usage: chatUsage(usage) } : {}),
    };
  },
  fault: openaiFault,
};

const known: ReadonlySet<string> = new Set(['model', 'messages', 'stream', 'stream_options']);

function readChat(body: unknown): ModelAsk {
  const fields = fieldsAt(body, 'body');
  const turns: Turn[] = [];
  const instructions: string[] = [];
  for (const [index, message] of listAt(fields['messages'], 'messages').entries()) {
    const path = `messages[${index}]`;
    const { role, ...rest } = fieldsAt(message, path);
    if (role === 'system' || role === 'developer') instructions.push(plainText(rest['content']));
    else turns.push(readTurn(role, rest, path));
  }
  const joined = joinTurns(turns);
  const last = joined.at(-1);
  if (last?.role !== 'user') throw badRequest('messages', 'a list that ends with a message of the user');
  const { include_usage: wantsUsage } = isObject(fields['stream_options']) ? fields['stream_options'] : {};
  return {
    model: textAt(fields['model'], 'model'),
    instructions: instructions.filter((text) => text.trim() !== '').join('\n\n'),
    earlier: joined.slice(0, -1),
    content: last.parts,
    isStreamed: fields['stream'] === true,
    wantsReasoning: true,
    wantsUsage: wantsUsage === true,
    manner: mannerOf(fields),
    ignored: ignoredIn(fields, known),
  };
}

function readTurn(role: unknown, fields: Readonly<Record<string, unknown>>, path: string): Turn {
  const { content, tool_calls: calls } = fields;
  if (role === 'user') return { role, parts: contentAt(content, `${path}.content`, readPart) };
  if (role === 'tool' || role === 'function') return { role: 'assistant', parts: [resultPart(content)] };
  if (role !== 'assistant') throw badRequest(`${path}.role`, 'user, assistant, system, developer or tool');
  const called = (Array.isArray(calls) ? calls : []).filter(isObject).map(({ function: of }) => {
    const { name, arguments: args } = isObject(of) ? of : {};
    return calledPart(name, args);
  });
  return {
    role,
    parts: [...(content === null || content === undefined ? [] : textPart(plainText(content))), ...called],
  };
}

function readPart(part: Readonly<Record<string, unknown>>, path: string): readonly UserPart[] {
  const { type, text, image_url: image, file, input_audio: audio } = part;
  if (type === 'text') return textPart(text);
  if (type === 'image_url') {
    const url = isObject(image) ? image['url'] : image;
    return [dataUrlPart(url, `${path}.image_url.url`)];
  }
  if (type === 'file' && isObject(file))
    return [dataUrlPart(file['file_data'], `${path}.file.file_data`, file['filename'])];
  if (type === 'input_audio' && isObject(audio))
    return [
      mediaPart(
        `audio/${textAt(audio['format'], `${path}.input_audio.format`)}`,
        textAt(audio['data'], path),
      ),
    ];
  throw badRequest(`${path}.type`, 'text, image_url, file or input_audio');
}

const finishReasons: Readonly<Record<Finish, string>> = {
  stop: 'stop',
  length: 'length',
  refusal: 'content_filter',
};

function headOf({ id, model, createdAtMs }: About, object: string): object {
  return { id, object, created: Math.floor(createdAtMs / 1_000), model };
}

function chatUsage({ input, output, reasoning, cacheRead }: TokenUsage): object {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cacheRead },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}

class ChatFrames implements FrameWriter {
  readonly #about: About;

  constructor(about: About) {
    this.#about = about;
  }

  begin(): string {
    return this.#chunk({ role: 'assistant', content: '' }, null);
  }

  take({ type, delta }: AnswerPiece): string {
    return this.#chunk(type === 'text' ? { content: delta } : { reasoning_content: delta }, null);
  }

  end({ finish, usage }: Ended): string {
    const { wantsUsage } = this.#about;
    const counted = wantsUsage && usage ? this.#frame({ choices: [], usage: chatUsage(usage) }) : '';
    return `${this.#chunk({}, finishReasons[finish])}${counted}data: [DONE]\n\n`;
  }

  /** No clean end: the client sees that the answer is not whole. */
  fail(fault: Fault): string {
    return `data: ${JSON.stringify(openaiFault(fault))}\n\n`;
  }

  #chunk(delta: object, reason: string | null): string {
    return this.#frame({ choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }] });
  }

  #frame(more: object): string {
    return `data: ${JSON.stringify({ ...headOf(this.#about, 'chat.completion.chunk'), ...more })}\n\n`;
  }
}
