/** The answer's limit alone is above what the window leaves (vLLM): the one message of a bad limit that names the window. */
export const outputTooLargeBesidePrompt =
  "is too large: {output}. This model's maximum context length is {limit} tokens and your request has {prompt} input tokens";

/**
 * What servers say when a prompt has too many tokens, as they write it. Numbers: `prompt`, `output` (room asked for the
 * answer), `total` (both), `limit` (what the server takes), `excess` (prompt above the limit). The first that is found
 * counts, so the longer form of a message stands before its general one.
 */
export const overflowMessages: readonly string[] = [
  // OpenAI and those who repeat it: Azure, DeepSeek, OpenRouter, older vLLM
  outputTooLargeBesidePrompt,
  'maximum context length is {limit} tokens. However, your messages resulted in {prompt} tokens',
  'maximum context length is {limit} tokens. However, you requested {total} tokens ({prompt} in the messages, {output} in the completion',
  'maximum context length is {limit} tokens. However, you requested {total} tokens ({any} and {output} in the completion',
  'maximum context length is {limit} tokens. However, you requested about {total} tokens ({any} {output} in the output',
  'maximum context length is {limit} tokens. However, your request has {prompt} input tokens',
  'maximum context length is {limit} tokens{any}your prompt contains at least {prompt} input tokens',
  'maximum context length is {limit} tokens{any}your prompt contains {prompt} input tokens',
  "requested token count exceeds the model's maximum context length of {limit} tokens. You requested a total of {total} tokens: {prompt} tokens from the input messages and {output} tokens",
  // "However, you requested N tokens" with no more: the room for the answer may be part of N, so it says nothing of the prompt.
  'maximum context length is {limit}',
  'maximum context length of {limit}',
  'exceed the configured limit of {limit} tokens. Your messages resulted in {prompt} tokens',
  'exceed the configured limit of {limit}',
  'exceeds the context window',
  // Anthropic
  'prompt is too long: {prompt} tokens > {limit} maximum',
  'exceed context limit: {prompt} + {output} > {limit}',
  // Fireworks
  'prompt is too long: {prompt}, model maximum context length: {limit}',
  // llama.cpp
  'request ({prompt} tokens) exceeds the available context size ({limit} tokens)',
  'exceeds the available context size',
  // Ollama
  'prompt is longer than the context length currently available',
  'exceeded max context length by {excess} tokens',
  'input length exceeds the context length',
  // LM Studio
  '(n_keep: {prompt}>= n_ctx: {limit})',
  'trying to keep the first {prompt} tokens when context the overflows. However, the model is loaded with context length of only {limit} tokens',
  'context size has been exceeded',
  'reached context length of {limit} tokens',
  // vLLM
  "you passed {prompt} input tokens and requested {output} output tokens. However, the model's context length is only {limit} tokens",
  "input characters and requested {output} output tokens. However, the model's context length is only {limit} tokens",
  'context length is only {limit}',
  // SGLang, Together
  "input ({prompt} tokens) is longer than the model's context length ({limit} tokens)",
  'longer than the context length',
  // TGI
  '`inputs` tokens + `max_new_tokens` must be <= {limit}. Given: {prompt} `inputs` tokens and {output} `max_new_tokens`',
  '`inputs` must have less than {limit} tokens. Given: {prompt}',
  // other servers on one's own machine
  'prompt exceeds maximum context length',
  'prompt has {prompt} tokens, but the configured context size is {limit} tokens',
  // Gemini, Vertex
  'input token count ({prompt}) exceeds the maximum number of tokens allowed ({limit})',
  'exceeds the maximum number of tokens allowed',
  // Bedrock
  'input is too long for requested model',
  // Mistral
  'prompt contains {prompt} tokens, too large for model with {limit} maximum context length',
  'too large for model with {limit} maximum context length',
  // Cerebras, Groq
  'reduce the length of the messages or completion. Current length is {prompt} while limit is {limit}',
  'reduce the length of the messages',
  // xAI
  'maximum prompt length is {limit} but the request contains {prompt} tokens',
  // Cohere
  'tokens in the prompt cannot exceed {limit} - received {prompt}',
  // Kimi
  'exceeded model token limit: {limit} (requested: {total})',
  // MiniMax
  'context window exceeds limit',
  // DashScope
  'range of input length should be [1, {limit}]',
  // GitHub Copilot
  'prompt token count of {prompt} exceeds the limit of {limit}',
  // Poolside
  'input length {prompt} exceeds the maximum allowed input length of {limit} tokens',
  // gateways: OpenRouter's words for a prompt beyond what the credit pays have the same beginning, and are vetoed
  'prompt tokens limit exceeded: {prompt} > {limit}',
  'input length {prompt} exceeds the maximum length {limit}',
  // SiliconFlow
  'length of prompt_tokens ({prompt}) must be less than max_seq_len ({limit})',
  // LiteLLM
  'ContextWindowExceededError',
  'context window exceeded for given call',
  // z.ai, Anthropic without numbers
  'prompt too long',
  'prompt is too long',
];

/** Too much for a minute, however long one waits: only a shorter request goes through (OpenAI, Groq). */
export const tooLargeForMinute =
  'request too large for {any}tokens per min{any}limit {limit}, requested {total}';

/** Names that say it all, in `type`, `code` or `param`. */
export const overflowNames: ReadonlySet<string> = new Set([
  'context_length_exceeded',
  'exceed_context_size_error',
  'context_window_exceeded',
  'model_context_window_exceeded',
  'contextwindowexceedederror',
  'input_tokens',
  // z.ai
  '1261',
]);

/** What servers say of too many bytes. */
export const bytesMessages: readonly string[] = [
  'request entity too large',
  'request body too large',
  'payload too large',
  'content too large',
  'request exceeds the maximum size',
  'request payload size exceeds the limit',
  'request size exceeds',
  'string too long. Expected a string with maximum length',
  'total request size is too large',
];

export const bytesNames: ReadonlySet<string> = new Set(['request_too_large', 'string_above_max_length']);

/** What servers say of images and files. */
export const mediaMessages: readonly string[] = [
  'image exceeds {any} maximum',
  'image dimensions exceed',
  'could not process image',
  'unsupported image',
  'failed to process image',
  'invalid image',
  'image data you provided does not represent a valid image',
  'image is too large',
  'image too large',
  'too many images',
  'at most {count} image',
  'maximum of {count} PDF pages',
  'could not process pdf',
  'pdf specified was not valid',
  'pdf is password protected',
  'unable to process input image',
  'unsupported mime type',
];

export const mediaNames: ReadonlySet<string> = new Set([
  'invalid_image_format',
  'invalid_base64_image',
  'invalid_image',
  'invalid_image_url',
  'image_too_large',
  'image_too_small',
  'image_parse_error',
  'image_content_policy_violation',
  'unsupported_image_media_type',
  'empty_image_file',
  'failed_to_download_image',
  'image_file_too_large',
  'image_file_not_found',
]);

/** What servers say when the model takes no images at all. */
export const noImagesMessages: readonly string[] = [
  'does not support image',
  'do not support image',
  'no endpoints found that support image input',
  'image input is not supported',
  'images are not supported',
  'image_url is only supported by certain models',
  'is not a multimodal model',
  'image_url is not supported',
  'does not support vision',
];
