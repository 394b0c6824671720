import { z } from 'zod';
import { field, group, requiredField, section } from '../fields/field.ts';
import { address as httpAddress, count, hiddenText, oneOf, path, word } from '../fields/rules.ts';
import type { FieldRule } from '../fields/field.ts';
import type { Located, LocatedEntry, LocatedMap } from '../yaml/located.ts';

const about = 'Where sessions are kept: the address of a Postgres, or a section.';

const expectedAddress = 'an address as "postgres://user@host/database"';

function readAddress(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const address = value.trim();
  return /^postgres(ql)?:\/\//.test(address) && URL.canParse(address) ? address : undefined;
}

const databaseUrl: FieldRule<string> = {
  ...hiddenText,
  expected: expectedAddress,
  read: readAddress,
};

const shortStore: FieldRule<string> = {
  ...databaseUrl,
  expected: `${expectedAddress}, or a section with keys of its own`,
};

const bucketAddress: FieldRule<string> = {
  expected: 'an address as "s3://bucket/prefix"',
  read: (value) =>
    typeof value === 'string' && /^s3:\/\/[a-z0-9][a-z0-9.-]+[a-z0-9](\/[\w./-]*)?$/.test(value)
      ? value
      : undefined,
  json: { type: 'string', pattern: '^s3://' },
};

const blobs = section(
  {
    folder: field(path, {
      about: 'The folder.',
      defaultText: '`blobs` beside `store.file`; with `postgres`: none, they are in the database',
    }),
    bucket: field(bucketAddress, {
      about:
        'A bucket of S3, or of a server that speaks its protocol, for `postgres`. Its keys are read from `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`.',
    }),
    endpoint: field(httpAddress, {
      about: 'Where that bucket is.',
      defaultText: 'AWS, by the region',
    }),
    region: field(word('the name of a region'), {
      about: 'The region of that bucket.',
      defaultText: '`us-east-1`',
    }),
  },
  'Where images, files and long outputs are kept.',
);

const storeGroup = group(
  {
    type: field(oneOf('sqlite', 'postgres', 'memory'), {
      about: 'What keeps sessions; those in `memory` end with the program.',
      default: 'sqlite',
    }),
    file: field(path, {
      about: 'The file, for `sqlite`.',
      defaultText:
        '`$XDG_DATA_HOME/throughline/throughline.db`, else `~/.local/share/throughline/throughline.db`',
    }),
    databaseUrl: field(databaseUrl, {
      about: 'The database, for `postgres`. `${NAME}` is what an environment variable holds.',
    }),
    connections: field(count(2), {
      about: 'Connections that this process opens at the most, for `postgres`.',
      default: 10,
    }),
    blobs,
  },
  'Where sessions are kept.',
);

/** Where sessions live (spec S1, S2, S4). */
export const storeSection = z
  .union([
    requiredField(shortStore, { about }).transform((address) =>
      storeGroup.parse({ type: 'postgres', databaseUrl: address }),
    ),
    storeGroup,
  ])
  .meta({ description: about })
  .prefault({});

/** What may be meant as an address: one, or the name of the variable that holds it. */
const addressOrVariable = /^\s*(postgres(ql)?:\/\/|\$\{\w+\}\s*$)/;

/** `store: postgres://…` of a file as the section it stands for: so its secret is treated as one from there on. */
export function storeAsSection(root: LocatedMap): LocatedMap {
  const store = root.entries.get('store');
  const node = store?.node;
  if (!store || node?.type !== 'scalar' || !addressOrVariable.test(String(node.value))) return root;
  const { place } = node;
  const entry = (value: unknown): LocatedEntry => ({ place, node: { type: 'scalar', value, place } });
  const entries = new Map([
    ['type', entry('postgres')],
    ['databaseUrl', entry(node.value)],
  ]);
  const section: Located = { type: 'map', entries, place };
  return { ...root, entries: new Map([...root.entries, ['store', { ...store, node: section }]]) };
}
