import type { TestCall, TestImage, TestMessage, TestPart, TestResult } from './test-message.ts';

export const wireFormats = ['openai-chat', 'openai-responses', 'anthropic', 'ai-sdk', 'session'] as const;
export type WireFormat = (typeof wireFormats)[number];

type Composer = (message: TestMessage, position: number) => readonly unknown[];

/**
 * Says messages in a wire format as that provider's documentation shows them. Written apart from the core's own
 * composers, so that tests of those do not check them against themselves. Faults of the messages go through as they are.
 */
export function composeWire(format: WireFormat, messages: readonly TestMessage[]): unknown[] {
  return messages.flatMap((message, position) => composers[format](message, position));
}

const composers: Record<WireFormat, Composer> = {
  'openai-chat': composeChat,
  'openai-responses': composeResponses,
  anthropic: composeAnthropic,
  'ai-sdk': composeAiSdk,
  session: composeSession,
};

function ofType<Type extends TestPart['type']>(
  parts: readonly TestPart[],
  type: Type,
): Extract<TestPart, { type: Type }>[] {
  return parts.filter((part): part is Extract<TestPart, { type: Type }> => part.type === type);
}

function dataUrl({ mediaType, base64 }: TestImage): string {
  return `data:${mediaType};base64,${base64}`;
}

/** One text as a bare string, the way most clients send it; everything else as blocks. */
function textOr(parts: readonly TestPart[], block: (part: TestPart) => readonly unknown[]): unknown {
  const [first] = parts;
  return parts.length === 1 && first?.type === 'text' ? first.text : parts.flatMap(block);
}

function composeChat({ role, parts }: TestMessage): unknown[] {
  const results = ofType(parts, 'result').map(({ callId, text }) => ({
    role: 'tool',
    tool_call_id: callId,
    content: text,
  }));
  if (role === 'tool') return results;
  const speech = parts.filter(({ type }) => type === 'text' || type === 'image');
  const content = speech.length === 0 && parts.length > 0 ? null : textOr(speech, chatBlock);
  if (role !== 'assistant')
    return [...results, ...(parts.length === results.length && parts.length > 0 ? [] : [{ role, content }])];
  const calls = ofType(parts, 'call').map(({ callId, name, input }) => ({
    id: callId,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }));
  const thoughts = ofType(parts, 'reasoning').map(({ text }) => text);
  return [
    {
      role,
      content,
      ...(thoughts.length > 0 && { reasoning_content: thoughts.join('\n') }),
      ...(calls.length > 0 && { tool_calls: calls }),
    },
  ];
}

function chatBlock(part: TestPart): unknown[] {
  if (part.type === 'text') return [{ type: 'text', text: part.text }];
  return part.type === 'image' ? [{ type: 'image_url', image_url: { url: dataUrl(part) } }] : [];
}

function composeResponses({ role, parts }: TestMessage, position: number): unknown[] {
  if (parts.length === 0) return [{ type: 'message', role: role === 'tool' ? 'user' : role, content: [] }];
  const items: unknown[] = [];
  let content: unknown[] = [];
  const flush = (): void => {
    if (content.length > 0) items.push({ type: 'message', role: role === 'tool' ? 'user' : role, content });
    content = [];
  };
  for (const [index, part] of parts.entries()) {
    if (part.type === 'text')
      content.push({ type: role === 'assistant' ? 'output_text' : 'input_text', text: part.text });
    else if (part.type === 'image')
      content.push({ type: 'input_image', image_url: dataUrl(part), detail: 'auto' });
    else {
      flush();
      items.push(responsesItem(part, `${position}_${index}`));
    }
  }
  flush();
  return items;
}

function responsesItem(part: Exclude<TestPart, { type: 'text' | 'image' }>, id: string): unknown {
  if (part.type === 'reasoning') {
    const { text, signature } = part;
    const summary = text === '' ? [] : [{ type: 'summary_text', text }];
    return { type: 'reasoning', id: `rs_${id}`, summary, encrypted_content: signature ?? null };
  }
  if (part.type === 'call') {
    const { callId, name, input } = part;
    if (part.isProviderExecuted)
      return {
        type: 'web_search_call',
        id: `ws_${id}`,
        status: 'completed',
        action: { type: 'search', query: callId },
      };
    return { type: 'function_call', call_id: callId, name, arguments: JSON.stringify(input) };
  }
  const { callId, text, image } = part;
  const output = image
    ? [
        { type: 'input_text', text },
        { type: 'input_image', image_url: dataUrl(image), detail: 'auto' },
      ]
    : text;
  return { type: 'function_call_output', call_id: callId, output };
}

function composeAnthropic({ role, parts }: TestMessage): unknown[] {
  const content = textOr(parts, anthropicBlock);
  // Unsigned thinking cannot be said; a message of nothing else does not exist.
  if (Array.isArray(content) && content.length === 0 && parts.length > 0) return [];
  return [{ role: role === 'tool' ? 'user' : role, content }];
}

function anthropicBlock(part: TestPart): unknown[] {
  if (part.type === 'text') return [{ type: 'text', text: part.text }];
  if (part.type === 'image') return [anthropicImage(part)];
  if (part.type === 'reasoning') {
    const { text: thinking, signature } = part;
    return signature === undefined ? [] : [{ type: 'thinking', thinking, signature }];
  }
  if (part.type === 'call') {
    const { callId: id, name, input } = part;
    return [{ type: part.isProviderExecuted ? 'server_tool_use' : 'tool_use', id, name, input }];
  }
  return [anthropicResult(part)];
}

function anthropicResult({ callId, text, image, isError, isProviderExecuted }: TestResult): unknown {
  if (isProviderExecuted) return { type: 'web_search_tool_result', tool_use_id: callId, content: [] };
  const content = image ? [{ type: 'text', text }, anthropicImage(image)] : text;
  return { type: 'tool_result', tool_use_id: callId, content, ...(isError && { is_error: true }) };
}

function anthropicImage({ mediaType, base64 }: TestImage): unknown {
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data: base64 } };
}

function composeAiSdk({ role, parts }: TestMessage): unknown[] {
  if (role === 'system')
    return [
      {
        role,
        content: ofType(parts, 'text')
          .map(({ text }) => text)
          .join('\n'),
      },
    ];
  const content = role === 'tool' ? parts.flatMap(aiSdkPart) : textOr(parts, aiSdkPart);
  return [{ role, content }];
}

function aiSdkPart(part: TestPart): unknown[] {
  if (part.type === 'text') return [{ type: 'text', text: part.text }];
  if (part.type === 'image') return [{ type: 'file', mediaType: part.mediaType, data: part.base64 }];
  if (part.type === 'reasoning') {
    const { text, signature } = part;
    return [
      {
        type: 'reasoning',
        text,
        ...(signature !== undefined && { providerOptions: { anthropic: { signature } } }),
      },
    ];
  }
  return [part.type === 'call' ? aiSdkCall(part) : aiSdkResult(part)];
}

function aiSdkCall({ callId: toolCallId, name: toolName, input, isProviderExecuted }: TestCall): unknown {
  return {
    type: 'tool-call',
    toolCallId,
    toolName,
    input,
    ...(isProviderExecuted && { providerExecuted: true }),
  };
}

function aiSdkResult({ callId: toolCallId, name: toolName, text, image, isError }: TestResult): unknown {
  const value = image && [
    { type: 'text', text },
    { type: 'media', data: image.base64, mediaType: image.mediaType },
  ];
  const output = value ? { type: 'content', value } : { type: isError ? 'error-text' : 'text', value: text };
  return { type: 'tool-result', toolCallId, toolName, output };
}

function composeSession({ role, parts }: TestMessage, position: number): unknown[] {
  return [{ id: `message-${position}`, role, parts: parts.map(sessionPart) }];
}

function sessionPart(part: TestPart): unknown {
  if (part.type === 'image') return sessionImage(part);
  if (part.type !== 'result') return part;
  const { callId, name, text, image, isError, isProviderExecuted } = part;
  const content = [{ type: 'text', text }, ...(image ? [sessionImage(image)] : [])];
  return {
    type: 'result',
    callId,
    name,
    content,
    ...(isError && { isError }),
    ...(isProviderExecuted && { isProviderExecuted }),
  };
}

function sessionImage({ mediaType, base64 }: TestImage): unknown {
  return { type: 'media', mediaType, source: { type: 'base64', data: base64 } };
}
