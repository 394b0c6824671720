/** A message of no format in particular; `composeWire` says it in one. The smallest valid thing by default. */
export interface TestMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly parts: readonly TestPart[];
}

export type TestPart = TestText | TestReasoning | TestCall | TestResult | TestImage;

interface TestText {
  readonly type: 'text';
  readonly text: string;
}

export interface TestReasoning {
  readonly type: 'reasoning';
  readonly text: string;
  /** Without one the reasoning is unsigned; formats that only take signed reasoning leave it out. */
  readonly signature?: string;
}

export interface TestCall {
  readonly type: 'call';
  readonly callId: string;
  readonly name: string;
  readonly input: { readonly [key: string]: string | number };
  readonly isProviderExecuted?: true;
}

export interface TestResult {
  readonly type: 'result';
  readonly callId: string;
  readonly name: string;
  readonly text: string;
  readonly isError: boolean;
  readonly image?: TestImage;
  readonly isProviderExecuted?: true;
}

export interface TestImage {
  readonly type: 'image';
  readonly mediaType: string;
  readonly base64: string;
}

/** One transparent pixel. */
export const pixel: TestImage = {
  type: 'image',
  mediaType: 'image/png',
  base64: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
};

export function system(text: string): TestMessage {
  return { role: 'system', parts: [{ type: 'text', text }] };
}

export function user(text: string, ...more: readonly TestPart[]): TestMessage {
  return { role: 'user', parts: [{ type: 'text', text }, ...more] };
}

/** An empty text is left out, as providers do in a response that only calls tools. */
export function assistant(text: string, calls: readonly TestPart[] = []): TestMessage {
  return { role: 'assistant', parts: [...(text === '' ? [] : [{ type: 'text', text } as const]), ...calls] };
}

export function call(callId: string, input: TestCall['input'] = {}, name = 'read'): TestCall {
  return { type: 'call', callId, name, input };
}

export function result(callId: string, text = 'done', name = 'read'): TestResult {
  return { type: 'result', callId, name, text, isError: false };
}

/** A message with one result, or with several of one response. */
export function toolResult(first: string | TestResult, ...more: readonly TestResult[]): TestMessage {
  return { role: 'tool', parts: [typeof first === 'string' ? result(first) : first, ...more] };
}

export function reasoning(text: string, signature?: string): TestReasoning {
  return { type: 'reasoning', text, ...(signature === undefined ? {} : { signature }) };
}
