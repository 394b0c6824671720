import fc from 'fast-check';

type Message = fc.Arbitrary<unknown>;

const text = fc.oneof(
  fc.string({ maxLength: 20, unit: 'binary' }),
  fc.constantFrom('', ' ', '日本語', '😀', '\ud800', '"\\', 'a\nb', '$&', '{"a":1}'),
);
const someText = text.filter((value) => value !== '');
const id = fc.constantFrom('call_1', 'call_2', 'toolu_abc', 'x');
const name = fc.constantFrom('read', 'write', 'bash', 'constructor');
const base64 = fc.constantFrom('AAAA', 'iVBORw0KGgo=', '/9j/4AAQ', '');
const dataUrl = base64.map((data) => `data:image/png;base64,${data}`);
const url = fc.oneof(dataUrl, fc.constant('https://example.org/a.png'));
const input = fc.dictionary(fc.constantFrom('path', 'content', 'deep', 'n'), fc.jsonValue({ maxDepth: 2 }));
const argumentsText = fc.oneof(
  input.map((value) => JSON.stringify(value)),
  input.map((value) => JSON.stringify(value, undefined, 2)),
  fc.constantFrom('', '{', '{"path":"a","path":"b"}', '"text"', 'null', '{"n":1.0}'),
);
/** Fields no codec knows, and marks that must survive. */
const extra = fc.oneof(
  { weight: 2, arbitrary: fc.constant({}) },
  fc.record({ x_unknown: fc.jsonValue({ maxDepth: 2 }) }),
  fc.constant({ cache_control: { type: 'ephemeral' } }),
  fc.constant({ __proto__x: [1, { a: null }] }),
);

/** An object with the given fields and perhaps some more, in any place among them. */
function block(fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> {
  return fc
    .tuple(fc.record(fields), extra, fc.boolean())
    .map(([known, more, first]) => (first ? { ...more, ...known } : { ...known, ...more }));
}

const is = <Value>(value: Value): fc.Arbitrary<Value> => fc.constant(value);
const list = (...items: fc.Arbitrary<unknown>[]): fc.Arbitrary<unknown[]> =>
  fc.array(fc.oneof(...items), { maxLength: 4 });
const junk = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  block({ type: fc.constantFrom('text', 'image', 'tool_use', 'constructor', '__proto__', 'future_type') }),
);

const chatText = block({ type: is('text'), text });
const chatImage = block({
  type: is('image_url'),
  image_url: fc.record({ url, detail: fc.constantFrom('low', 'high') }),
});
const chatAudio = block({
  type: is('input_audio'),
  input_audio: fc.record({ data: base64, format: is('wav') }),
});
const chatFile = block({
  type: is('file'),
  file: fc.oneof(fc.record({ file_data: dataUrl, filename: is('a.pdf') }), fc.record({ file_id: id })),
});
const chatRefusal = block({ type: is('refusal'), refusal: text });
const chatCall = fc.oneof(
  block({ id, type: is('function'), function: fc.record({ name, arguments: argumentsText }) }),
  block({ id, type: is('custom'), custom: fc.record({ name, input: text }) }),
  block({
    id,
    type: is('function'),
    function: fc.record({ name, arguments: argumentsText }),
    extra_content: is({ google: { thought_signature: 'abc' } }),
  }),
);
const reasoningDetail = fc.oneof(
  block({ type: is('reasoning.text'), text: someText, signature: fc.constantFrom('', 'sig') }),
  block({ type: is('reasoning.encrypted'), data: is('secret') }),
);

export const openaiChatMessage: Message = fc.oneof(
  block({ role: fc.constantFrom('system', 'developer'), content: fc.oneof(text, list(chatText)) }),
  block({
    role: is('user'),
    content: fc.oneof(text, list(chatText, chatImage, chatAudio, chatFile, junk)),
    name,
  }),
  block({
    role: is('assistant'),
    content: fc.oneof(text, is(null), list(chatText, chatRefusal)),
    tool_calls: fc.array(chatCall, { minLength: 1, maxLength: 3 }),
    reasoning_content: text,
  }),
  block({ role: is('assistant'), content: text, refusal: fc.oneof(text, is(null)), reasoning: text }),
  block({
    role: is('assistant'),
    content: text,
    reasoning_details: list(reasoningDetail),
    audio: is({ id: 'a' }),
  }),
  block({
    role: is('assistant'),
    content: is(null),
    function_call: fc.record({ name, arguments: argumentsText }),
  }),
  block({ role: is('tool'), tool_call_id: id, content: fc.oneof(text, list(chatText, chatImage, junk)) }),
  block({ role: is('function'), name, content: fc.oneof(text, is(null)) }),
);

const source = fc.oneof(
  fc.record({ type: is('base64'), media_type: is('image/png'), data: base64 }),
  fc.record({ type: is('url'), url }),
  fc.record({ type: is('file'), file_id: id }),
);
const anthropicText = block({ type: is('text'), text });
const anthropicMedia = block({ type: fc.constantFrom('image', 'document'), source });
const anthropicPiece = fc.oneof(
  anthropicText,
  anthropicMedia,
  block({
    type: is('search_result'),
    title: text,
    source: text,
    content: is([{ type: 'text', text: 'found' }]),
  }),
  block({ type: is('tool_reference'), tool_name: name }),
);
const anthropicResult = block({
  type: fc.constantFrom('tool_result', 'mcp_tool_result'),
  tool_use_id: id,
  content: fc.oneof(text, list(anthropicPiece), is(undefined)),
  is_error: fc.boolean(),
});

export const anthropicMessage: Message = fc.oneof(
  block({ role: fc.constantFrom('user', 'assistant', 'system'), content: text }),
  block({ role: is('user'), content: list(anthropicText, anthropicMedia, anthropicResult, junk) }),
  block({
    role: is('assistant'),
    content: list(
      anthropicText,
      block({ type: is('thinking'), thinking: text, signature: fc.constantFrom('', 'sig') }),
      block({ type: is('redacted_thinking'), data: is('secret') }),
      block({ type: fc.constantFrom('tool_use', 'server_tool_use', 'mcp_tool_use'), id, name, input }),
      block({
        type: is('web_search_tool_result'),
        tool_use_id: id,
        content: is([{ encrypted_content: 'x' }]),
      }),
      block({ type: is('compaction'), content: text }),
      junk,
    ),
  }),
);

const inputText = block({ type: fc.constantFrom('input_text', 'output_text'), text });
const inputImage = block({ type: is('input_image'), image_url: url, detail: is('auto') });
const inputFile = block({ type: is('input_file'), file_data: dataUrl, filename: is('a.pdf') });
const outputBlocks = list(inputText, inputImage, inputFile, junk);

export const responsesItem: Message = fc.oneof(
  block({ role: fc.constantFrom('user', 'assistant', 'system', 'developer'), content: text }),
  block({
    type: is('message'),
    role: fc.constantFrom('user', 'assistant'),
    content: list(inputText, inputImage, inputFile, block({ type: is('refusal'), refusal: text }), junk),
  }),
  block({ type: is('function_call'), id, call_id: id, name, arguments: argumentsText }),
  block({ type: is('custom_tool_call'), call_id: id, name, input: text }),
  block({ type: is('local_shell_call'), id, call_id: id, action: is({ type: 'exec', command: ['ls'] }) }),
  block({
    type: is('apply_patch_call'),
    call_id: id,
    operation: is({ type: 'create_file', diff: '+', path: 'a' }),
  }),
  block({ type: is('computer_call'), id, call_id: id, action: is({ type: 'screenshot' }) }),
  block({
    type: fc.constantFrom('function_call_output', 'custom_tool_call_output'),
    call_id: id,
    output: fc.oneof(text, outputBlocks),
  }),
  block({ type: is('local_shell_call_output'), id, output: text }),
  block({
    type: is('shell_call_output'),
    call_id: id,
    output: fc.array(fc.record({ stdout: text, stderr: text, outcome: is({ type: 'exit', exit_code: 0 }) })),
  }),
  block({
    type: is('computer_call_output'),
    call_id: id,
    output: is({ type: 'computer_screenshot', image_url: 'u' }),
  }),
  block({
    type: is('reasoning'),
    id,
    summary: fc.array(fc.record({ type: is('summary_text'), text })),
    encrypted_content: fc.constantFrom(null, 'secret'),
  }),
  block({
    type: is('web_search_call'),
    id,
    status: is('completed'),
    action: is({ type: 'search', query: 'q' }),
  }),
  block({ type: is('image_generation_call'), id, result: base64 }),
  block({ type: is('mcp_call'), id, name, arguments: argumentsText, output: text, server_label: name }),
  block({ type: is('compaction'), id, encrypted_content: is('secret') }),
  block({ type: is('item_reference'), id }),
  fc.record({ id }),
  block({ type: fc.constantFrom('future_call', 'future_call_output', 'constructor'), id }),
);

const bytes = fc.uint8Array({ maxLength: 8 });
const fileData = fc.oneof(
  base64,
  url,
  fc.record({ type: is('data'), data: base64 }),
  fc.record({ type: is('url'), url }),
  fc.record({ type: is('reference'), reference: is({ openai: 'file-1' }) }),
  fc.record({ type: is('text'), text }),
);
const signed = fc.constantFrom(
  {},
  { providerOptions: { anthropic: { signature: 'sig' } } },
  { providerOptions: { google: { thoughtSignature: 'sig' } } },
  { providerOptions: { openai: { itemId: 'rs_1', reasoningEncryptedContent: 'secret' } } },
  { providerMetadata: { openai: { itemId: 'fc_1' } } },
);
const withSignature = (part: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.tuple(part, signed).map(([fields, options]) => ({ ...(fields as object), ...options }));
const sdkText = block({ type: is('text'), text });
const sdkFile = block({
  type: fc.constantFrom('file', 'reasoning-file'),
  data: fileData,
  mediaType: is('image/png'),
});
const sdkOutput = fc.oneof(
  block({ type: fc.constantFrom('text', 'error-text'), value: text }),
  block({ type: fc.constantFrom('json', 'error-json'), value: fc.jsonValue({ maxDepth: 2 }) }),
  block({ type: is('execution-denied'), reason: text }),
  block({
    type: is('content'),
    value: list(
      sdkText,
      block({
        type: fc.constantFrom('media', 'image-data', 'file-data'),
        data: base64,
        mediaType: is('image/png'),
      }),
      block({ type: is('file'), data: fileData, mediaType: is('image/png') }),
      block({ type: fc.constantFrom('image-url', 'file-url'), url }),
      block({ type: is('file-id'), fileId: id }),
      block({ type: is('custom') }),
    ),
  }),
);
const sdkResult = fc.oneof(
  block({ type: is('tool-result'), toolCallId: id, toolName: name, output: sdkOutput }),
  block({ type: is('tool-result'), toolCallId: id, toolName: name, result: fc.jsonValue({ maxDepth: 2 }) }),
);

export const aiSdkMessage: Message = fc.oneof(
  block({ role: is('system'), content: text }),
  block({ role: fc.constantFrom('user', 'assistant'), content: text }),
  block({
    role: is('user'),
    content: list(sdkText, sdkFile, block({ type: is('image'), image: fc.oneof(url, base64) }), junk),
  }),
  block({
    role: is('assistant'),
    content: list(
      withSignature(sdkText),
      sdkFile,
      withSignature(block({ type: is('reasoning'), text })),
      withSignature(block({ type: is('tool-call'), toolCallId: id, toolName: name, input })),
      block({ type: is('tool-call'), toolCallId: id, toolName: name, args: input }),
      block({ type: is('tool-call'), toolCallId: id, toolName: name, input, providerExecuted: is(true) }),
      sdkResult,
      block({ type: is('tool-approval-request'), approvalId: id, toolCallId: id }),
      block({ type: is('custom'), kind: fc.constantFrom('openai.compaction', 'x.other') }),
      block({ type: is('text'), text, providerOptions: is({ anthropic: { type: 'compaction' } }) }),
      junk,
    ),
  }),
  block({
    role: is('tool'),
    content: list(
      sdkResult,
      block({ type: is('tool-approval-response'), approvalId: id, approved: fc.boolean() }),
    ),
  }),
);

/** The prompt a language model of the AI SDK gets: `ModelMessage` with lists of parts only. */
export const aiSdkPromptMessage: Message = fc.oneof(
  block({ role: is('system'), content: text }),
  block({ role: is('user'), content: list(withSignature(sdkText), sdkFile, junk) }),
  block({
    role: is('assistant'),
    content: list(
      withSignature(sdkText),
      sdkFile,
      withSignature(block({ type: is('reasoning'), text })),
      withSignature(block({ type: is('tool-call'), toolCallId: id, toolName: name, input })),
      block({ type: is('tool-call'), toolCallId: id, toolName: name, input, providerExecuted: is(true) }),
      block({ type: is('tool-result'), toolCallId: id, toolName: name, output: sdkOutput }),
      block({ type: is('custom'), kind: fc.constantFrom('openai.compaction', 'x.other') }),
    ),
  }),
  block({
    role: is('tool'),
    content: list(
      block({ type: is('tool-result'), toolCallId: id, toolName: name, output: sdkOutput }),
      block({ type: is('tool-approval-response'), approvalId: id, approved: fc.boolean() }),
    ),
  }),
);

const agentsMedia = fc.oneof(url, base64, fc.record({ id }), fc.record({ url }), fc.record({ fileId: id }));
const agentsInputs = list(
  block({ type: fc.constantFrom('input_text', 'output_text', 'text'), text }),
  block({ type: is('input_image'), image: agentsMedia, detail: is('auto') }),
  block({ type: is('input_file'), file: agentsMedia, filename: is('a.pdf') }),
  block({ type: is('audio'), audio: fc.oneof(base64, fc.record({ id })), format: is('wav') }),
  block({ type: is('refusal'), refusal: text }),
  junk,
);
const agentsLegacy = fc.oneof(
  block({ type: is('text'), text }),
  block({
    type: is('image'),
    image: fc.oneof(agentsMedia, fc.record({ data: base64, mediaType: is('image/png') })),
  }),
  block({
    type: is('file'),
    file: fc.record({ data: base64, mediaType: is('text/plain'), filename: is('a.txt') }),
  }),
);
const callId = id;

export const agentsItem: Message = fc.oneof(
  block({ role: fc.constantFrom('user', 'system', 'developer'), content: text }),
  block({ type: is('message'), id, role: is('user'), content: agentsInputs }),
  block({ type: is('message'), role: is('assistant'), status: is('completed'), content: agentsInputs }),
  block({ type: is('function_call'), id, callId, name, arguments: argumentsText, status: is('completed') }),
  block({
    type: is('function_call_result'),
    callId,
    name,
    status: is('completed'),
    output: fc.oneof(text, agentsInputs, agentsLegacy, junk),
  }),
  block({ type: is('shell_call'), callId, action: is({ commands: ['ls'] }) }),
  block({
    type: is('shell_call_output'),
    callId,
    output: fc.array(fc.record({ stdout: text, stderr: text, outcome: is({ type: 'exit', exitCode: 0 }) })),
  }),
  block({
    type: is('apply_patch_call'),
    callId,
    operation: is({ type: 'create_file', path: 'a', diff: '+' }),
  }),
  block({
    type: is('apply_patch_call_output'),
    callId,
    status: fc.constantFrom('completed', 'failed'),
    output: text,
  }),
  block({ type: is('computer_call'), callId, action: is({ type: 'screenshot' }) }),
  block({
    type: is('computer_call_result'),
    callId,
    output: fc.record({ type: is('computer_screenshot'), data: dataUrl }),
  }),
  block({
    type: is('tool_search_call'),
    call_id: id,
    execution: fc.constantFrom('client', 'server'),
    arguments: input,
  }),
  block({
    type: is('tool_search_output'),
    call_id: id,
    execution: fc.constantFrom('client', 'server'),
    tools: is([{}]),
  }),
  block({ type: is('hosted_tool_call'), id, name, arguments: argumentsText, output: text }),
  block({
    type: is('hosted_tool_call'),
    id,
    name,
    providerData: is({ type: 'web_search', action: { query: 'q' } }),
  }),
  block({
    type: is('reasoning'),
    id,
    content: fc.array(fc.record({ type: is('input_text'), text })),
    rawContent: fc.array(fc.record({ type: is('reasoning_text'), text })),
    providerData: fc.constantFrom({}, { encrypted_content: 'secret' }),
  }),
  block({ type: is('compaction'), encrypted_content: is('secret') }),
  block({ type: fc.constantFrom('program', 'program_output'), callId, code: text }),
  block({ type: is('unknown'), providerData: is({ type: 'future' }) }),
);

/** In memory the AI SDK also holds bytes, which no JSON text has. */
export const aiSdkBytesMessage: Message = fc.record({
  role: is('user'),
  content: fc.array(fc.record({ type: is('file'), data: bytes, mediaType: is('image/png') }), {
    minLength: 1,
  }),
});

const sessionMedia = block({
  type: is('media'),
  mediaType: is('image/png'),
  source: fc.oneof(fc.record({ type: is('base64'), data: base64 }), fc.record({ type: is('url'), url })),
});
const sessionText = block({ type: is('text'), text });

export const sessionMessage: Message = block({
  id,
  role: fc.constantFrom('system', 'user', 'assistant', 'tool'),
  createdAtMs: is(1),
  parts: list(
    sessionText,
    sessionMedia,
    block({ type: is('reasoning'), text, signature: fc.constantFrom('', 'sig') }),
    block({ type: is('reasoning'), text, binding: is('prefix') }),
    block({ type: is('call'), callId: id, name, input }),
    block({
      type: is('result'),
      callId: id,
      name,
      content: list(sessionText, sessionMedia),
      isError: fc.boolean(),
    }),
    block({ type: is('opaque'), value: fc.jsonValue({ maxDepth: 2 }), isBarrier: fc.boolean() }),
    junk,
  ),
});

/** Anything at all in the place of a message. */
export const hostileMessage: Message = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }),
  fc.record({
    role: fc.oneof(fc.constantFrom('user', 'assistant', 'tool', 'system', '__proto__'), fc.jsonValue()),
    type: fc.oneof(
      fc.constantFrom('message', 'function_call', 'reasoning', 'mcp_call', 'toString'),
      fc.jsonValue(),
    ),
    content: fc.oneof(fc.jsonValue(), list(junk)),
    parts: fc.oneof(fc.jsonValue(), list(junk)),
    tool_calls: fc.oneof(fc.jsonValue(), list(junk)),
    output: fc.oneof(fc.jsonValue(), list(junk)),
    summary: fc.jsonValue(),
  }),
);
