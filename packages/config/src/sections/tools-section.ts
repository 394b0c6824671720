import { field, group, named } from '../fields/field.ts';
import { count, flag, oneOf, variableNames } from '../fields/rules.ts';

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
