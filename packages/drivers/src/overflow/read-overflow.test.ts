import { describe, expect, it } from 'vitest';
import { readOverflow } from './read-overflow.ts';

describe('readOverflow', () => {
  it.each([
    [
      "This model's maximum context length is 131072 tokens. However, you requested 139162 tokens",
      400,
      131_072,
    ],
    ['prompt is too long: 208310 tokens > 200000 maximum', 400, 200_000],
    ['request (6030 tokens) exceeds the available context size (4096 tokens), try increasing it', 400, 4_096],
    [
      'The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 13055>= n_ctx: 4096)',
      400,
      4_096,
    ],
    [
      "You passed 9000 input tokens and requested 10 output tokens. However, the model's context length is only 8192 tokens",
      400,
      8_192,
    ],
    ["The input (516368 tokens) is longer than the model's context length (262144 tokens).", 400, 262_144],
    ["This model's maximum prompt length is 500000 but the request contains 907154 tokens.", 400, 500_000],
    [
      'The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).',
      400,
      1_048_575,
    ],
    [
      'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 477469 tokens.',
      400,
      272_000,
    ],
    ['Prompt contains 66385 tokens, too large for model with 32768 maximum context length', 400, 32_768],
    ['Your request exceeded model token limit: 262144 (requested: 300000)', 400, 262_144],
    ['Range of input length should be [1, 30720]', 400, 30_720],
  ])('reads the window out of "%s"', (message, status, limitTokens) => {
    expect(readOverflow(status, message)).toEqual({ limitTokens });
  });

  it.each([
    ['Your input exceeds the context window of this model.', 400],
    ['Input is too long for requested model.', 400],
    ['Please reduce the length of the messages or completion.', 400],
    ['Request Entity Too Large', 413],
  ])('knows "%s" without a number', (message, status) => {
    expect(readOverflow(status, message)).toEqual({});
  });

  it.each([
    ['ThrottlingException: Too many tokens, please wait before trying again.', 400],
    ['Rate limit reached: Limit 6000, Requested 14810, maximum context length is 8192', 400],
    ['prompt is too long: 208310 tokens > 200000 maximum', 429],
    ['max_tokens is too large: 100000. This model supports at most 16384 completion tokens', 400],
    ['invalid api key', 401],
    ['internal error', 500],
  ])('does not take "%s" (%s) for an overflow', (message, status) => {
    expect(readOverflow(status, message)).toBeUndefined();
  });
});
