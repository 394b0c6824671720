import { z } from 'zod';
import { field, group, named, requiredField } from '../fields/field.ts';
import { address, duration, hiddenTexts, path, text, texts } from '../fields/rules.ts';

const timeouts = {
  timeoutMs: field(duration(1), {
    about: 'Most a call may take; progress starts it anew.',
    defaultText: '60s',
  }),
  connectTimeoutMs: field(duration(1), { about: 'Most connecting may take.', defaultText: '30s' }),
};

const program = group(
  {
    command: requiredField(text, { about: 'The program to start.' }),
    args: field(texts, { about: 'Its arguments.' }),
    env: field(hiddenTexts, {
      about: 'Variables it gets beside PATH, HOME and the like. `${NAME}` is what a variable of ours holds.',
    }),
    cwd: field(path, {
      about: 'The folder it starts in.',
      defaultText: 'the folder throughline is started in',
    }),
    ...timeouts,
  },
  'A program that speaks over its input and output.',
);

const server = group(
  {
    url: requiredField(address, { about: 'The address of the server.' }),
    headers: field(hiddenTexts, {
      about: 'Sent with every request. `${NAME}` is what an environment variable holds.',
    }),
    ...timeouts,
  },
  'A server at an address (streamable HTTP).',
);

/** MCP servers by name (spec A10). What comes out is what `connectMcpServers` takes. */
export const mcpSection = named(z.union([program, server]), 'MCP servers by name: a program, or an address.');
