import { field, group, named, requiredField, section } from '../fields/field.ts';
import {
  address,
  count,
  duration,
  flag,
  hiddenTexts,
  oneOf,
  path,
  text,
  texts,
  variableNames,
} from '../fields/rules.ts';
import { z } from 'zod';

/** The loop of steps that answers (spec A1, A10, A13). */
export const agentSection = section(
  {
    instructions: field(text, {
      about: 'What the agent is told before everything else.',
      defaultText: 'a few words on being careful',
    }),
    maxSteps: field(count(1), { about: 'Most model calls of one run.', default: 50 }),
    maxDurationMs: field(duration(1), { about: 'Most time one run may take.', defaultText: 'no limit' }),
    graceMs: field(duration(0), {
      about: 'At a limit the model gets this long for a concluding step; 0: none.',
      default: 60_000,
    }),
    workspace: field(path, {
      about: 'The folder that file tools and commands work in.',
      defaultText: 'the folder the program is started in',
    }),
    sandboxNetwork: field(flag, {
      about: 'Commands in the sandbox may reach the network.',
      default: false,
    }),
    privateFiles: field(texts, {
      about:
        'Names of files that may hold secrets, with `*` for anything: file tools ask before they read one, commands do not.',
      default: ['.env', '.env.*'],
    }),
  },
  'The loop of steps that answers.',
);

const tool = group(
  {
    enabled: field(flag, {
      about: 'Whether the model is offered the tool at all.',
      defaultText: '`true`',
    }),
    maxOutputChars: field(count(1), {
      about: 'Most characters of output.',
      defaultText: '120,000; `bash` 30,000',
    }),
    maxLines: field(count(1), { about: 'Most lines of output.', defaultText: '`read` 2,000' }),
    maxLineLength: field(count(1), { about: 'Most characters of a line.', defaultText: '`read` 2,000' }),
    maxMatches: field(count(1), { about: 'Most matches.', defaultText: '`grep` and `glob` 1,000' }),
    approval: field(oneOf('allow', 'ask', 'deny'), {
      about: 'What is done with a call before it runs.',
      defaultText: 'what only reads: `allow`; all else: `ask`',
    }),
    environment: field(variableNames, {
      about: 'Names of variables that commands get beside `PATH`, `HOME`, `LANG` and the like. For `bash`.',
      defaultText: 'none',
    }),
  },
  'Limits and approval of one tool.',
);

/** By name of the tool (spec E9, A10). */
export const toolsSection = named(
  tool,
  'Limits and approvals, by the name of the tool; `default` is for every tool that does not say otherwise.',
);

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
