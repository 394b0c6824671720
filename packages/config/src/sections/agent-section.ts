import { field, section } from '../fields/field.ts';
import { count, duration, flag, path, text, texts } from '../fields/rules.ts';

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
