import { field, group, named, requiredField, section } from '../fields/field.ts';
import { address, flag, oneOf, variableName } from '../fields/rules.ts';
import { routeContextSection } from './context-section.ts';
import type { FieldRule } from '../fields/field.ts';

const upstream: FieldRule<string> = {
  expected: 'an address that begins with http:// or https://, without a password in it, or "agent"',
  read: (value) => (value === 'agent' ? 'agent' : address.read(value)),
  json: { type: 'string', pattern: '^(agent|https?://.+)$' },
};

const route = group(
  {
    upstream: requiredField(upstream, {
      about: 'The server that answers, up to and including the version; `agent` is the built-in agent.',
    }),
    apiKeyEnv: field(variableName, {
      about: 'Name of the variable that holds the key sent to the upstream instead of the caller’s.',
      defaultText: 'the caller’s key is passed on',
    }),
    context: routeContextSection.optional(),
    recall: field(flag, { about: 'Adds the `recall` tool and answers it.', default: false }),
    onFailure: field(oneOf('open', 'closed'), {
      about: 'When the context cannot be managed: pass the request through untouched, or refuse it.',
      default: 'open',
    }),
    notices: field(oneOf('none', 'comment', 'content'), {
      about: 'How a caller is told of a compaction.',
      default: 'none',
    }),
    includeUsage: field(flag, {
      about: 'Asks the upstream for usage in streams and keeps it from the caller.',
      default: false,
    }),
    strict: field(flag, {
      about: 'Refuses a history that would have to be repaired.',
      default: false,
    }),
  },
  'One upstream and how its conversations are kept inside the window.',
);

/** The proxy (spec P4–P9). */
export const proxySection = section(
  { routes: named(route, 'Upstreams by the name that is part of their address.') },
  'The proxy for other clients.',
);
