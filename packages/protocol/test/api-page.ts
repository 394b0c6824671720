import { fileURLToPath } from 'node:url';
import { openApiDocument } from '@throughline/protocol';

export const apiPagePath = fileURLToPath(new URL('../../../docs/api.md', import.meta.url));

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

interface Operation {
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description?: string; readonly content?: Content }>>;
}

interface Document {
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** The page docs/api.md, made from the OpenAPI document. */
export function apiPage(): string {
  const { tags, paths, components } = openApiDocument('1') as unknown as Document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  return [
    '# The HTTP API',
    '',
    'Made from the OpenAPI document that `GET /api/openapi.json` serves (`npm run api:update` writes this page). How to begin, ' +
      'tokens, events and limits: [the server](server.md); what can go wrong: [errors](errors.md).',
    '',
    ...tags.flatMap(({ name }) => [
      `## ${name}`,
      '',
      ...operations
        .filter(({ operation }) => operation.tags.includes(name))
        .flatMap(({ path, method, operation }) => operationLines(`${method} ${path}`, operation)),
    ]),
    '## Schemas',
    '',
    ...Object.entries(components.schemas).flatMap(([name, schema]) => schemaLines(name, schema)),
  ].join('\n');
}

function operationLines(title: string, operation: Operation): readonly string[] {
  const { summary, description, parameters = [], requestBody, responses } = operation;
  const answers = Object.entries(responses).filter(([status]) => Number(status) < 400);
  const problems = Object.entries(responses).filter(([status]) => Number(status) >= 400);
  const body = requestBody && contentText(requestBody.content);
  return [
    `### \`${title}\``,
    '',
    description === undefined ? summary : `${summary} ${description}`,
    '',
    ...parameters.map(({ name, in: place, required, description: about = '', schema }) =>
      `- \`${name}\` (${place}${required ? '' : ', optional'}): ${typeText(schema)}. ${about}`.trimEnd(),
    ),
    ...(body === undefined ? [] : [`- body${requestBody?.required === true ? '' : ' (optional)'}: ${body}`]),
    ...answers.map(([status, { content = {} }]) => `- **${status}**: ${contentText(content)}`),
    `- ${problems.map(([status, { description: codes = '' }]) => `${status} ${codes}`).join('; ')}`,
    '',
  ];
}

function contentText(content: Content): string {
  return Object.entries(content)
    .map(([type, { schema }]) => (type === 'application/json' ? typeText(schema) : `\`${type}\``))
    .join(', or ');
}

function schemaLines(name: string, schema: Schema): readonly string[] {
  const fields = Object.entries(schema.properties ?? {}).map(([field, one]) => {
    const mark = schema.required?.includes(field) === true ? '' : '?';
    return `- \`${field}${mark}\`: ${typeText(one)}. ${one.description ?? ''}`.trimEnd();
  });
  const about = schema.description === undefined ? [] : [schema.description, ''];
  return [`### ${name}`, '', ...about, ...(fields.length > 0 ? fields : [`${typeText(schema)}.`]), ''];
}

/** A schema in a few words. Names are links to their heading. */
function typeText(schema: Schema): string {
  const { $ref, type, items, properties, required = [] } = schema;
  if ($ref !== undefined) {
    const name = $ref.split('/').at(-1) ?? '';
    return `[${name}](#${name.toLowerCase()})`;
  }
  const branches = schema.oneOf ?? schema.anyOf;
  if (branches) return branches.map(typeText).join(' or ');
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum) return schema.enum.map((one) => `\`${JSON.stringify(one)}\``).join(', ');
  if (items) return `list of ${typeText(items)}`;
  if (properties) {
    const fields = Object.entries(properties).map(
      ([name, one]) => `${name}${required.includes(name) ? '' : '?'}: ${typeText(one)}`,
    );
    return `{ ${fields.join('; ')} }`;
  }
  return scalarText(type, schema);
}

function scalarText(type: Schema['type'], { minimum, maximum }: Schema): string {
  const name = Array.isArray(type) ? type.join(' or ') : ((type as string | undefined) ?? 'any JSON');
  // Numbers that every program can count to go without saying.
  if (minimum === undefined || maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER) return name;
  return `${name} from ${minimum} to ${maximum}`;
}
