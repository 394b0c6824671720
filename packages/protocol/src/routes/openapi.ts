import { namedSchemas } from '../schemas/define.ts';
import { otherRoutes } from './other-routes.ts';
import { problems } from '../problems.ts';
import { routes } from './routes.ts';
import { z } from 'zod';
import type { AnswerSchema, Route } from './route.ts';
import type { ProblemCode } from '../problems.ts';

type Schema = Readonly<Record<string, unknown>>;

/** The API as an OpenAPI 3.1 document, made from what validates it. */
export function openApiDocument(version: string): Schema {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Throughline',
      version,
      description: 'An agent whose conversations never outgrow the window of their model.',
    },
    servers: [{ url: '/' }],
    security: [{}, { token: [] }],
    tags: [...new Set(allRoutes.map(([, { group }]) => group))].map((name) => ({ name })),
    paths: pathsOf(allRoutes),
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: { ...componentSchemas(), Problem: problemSchema },
      responses: { Problem: problemAnswer('What went wrong.') },
    },
  };
}

const allRoutes: readonly (readonly [string, Route])[] = Object.entries({ ...routes, ...otherRoutes });

const referenceTo = (id: string): string => `#/components/schemas/${id}`;

/** What is read-only in our types is not so in a request. */
const writing = {
  io: 'input',
  override: ({ jsonSchema }: { readonly jsonSchema: { readOnly?: boolean } }) =>
    void delete jsonSchema.readOnly,
} as const;

function componentSchemas(): Schema {
  const { schemas } = z.toJSONSchema(namedSchemas, { uri: referenceTo, ...writing });
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, bare(schema)]));
}

/** Where a schema stands in the document it needs no name of its own. */
function bare(schema: object): Schema {
  const { $schema: _, $id: __, ...rest } = schema as Record<string, unknown>;
  return rest;
}

/** A reference where the schema has a name, else all of it. */
function schemaOf(schema: z.ZodType): Schema {
  const id = namedSchemas.get(schema)?.id;
  return id === undefined ? bare(z.toJSONSchema(schema, writing)) : { $ref: referenceTo(id) };
}

function pathsOf(all: readonly (readonly [string, Route])[]): Schema {
  const paths: Record<string, Record<string, Schema>> = {};
  for (const [name, route] of all) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(name, route) };
  }
  return paths;
}

function operationOf(name: string, route: Route): Schema {
  const { group, summary, about, params, query, body, isBodyOptional, rawBody, answers } = route;
  const content = body
    ? { 'application/json': { schema: schemaOf(body) } }
    : rawBody && Object.fromEntries(rawBody.map((type) => [type, { schema: { type: 'string' } }]));
  const parameters = [...parametersOf('path', params), ...parametersOf('query', query)];
  return {
    operationId: name,
    tags: [group],
    summary,
    ...(about !== undefined && { description: about }),
    ...(parameters.length > 0 && { parameters }),
    ...(content && { requestBody: { required: isBodyOptional !== true, content } }),
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, schema]) => {
          const answer = answerOf(schema, statusText[Number(status)] ?? 'Done.');
          return [status, route.canStream === true && status === '200' ? withEvents(answer) : answer];
        }),
      ),
      ...problemAnswers(route),
      default: { $ref: '#/components/responses/Problem' },
    },
  };
}

function parametersOf(place: 'path' | 'query', object: z.ZodObject | undefined): readonly Schema[] {
  if (!object) return [];
  const { properties = {}, required = [] } = z.toJSONSchema(object, writing);
  return Object.entries(properties).map(([name, schema]) => {
    const { description, ...rest } = schema as { readonly description?: string };
    return {
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      ...(description !== undefined && { description }),
      schema: rest,
    };
  });
}

const statusText: Readonly<Record<number, string>> = {
  200: 'Done.',
  201: 'Made.',
  202: 'Accepted.',
};

function answerOf(answer: AnswerSchema, description: string): Answer {
  if ('mediaType' in answer)
    return { description: answer.about, content: { [answer.mediaType]: { schema: { type: 'string' } } } };
  return { description, content: { 'application/json': { schema: schemaOf(answer) } } };
}

interface Answer extends Schema {
  readonly content: Schema;
}

function withEvents(answer: Answer): Answer {
  return { ...answer, content: { ...answer.content, 'text/event-stream': { schema: { type: 'string' } } } };
}

/** Where several codes have one status the description names them all. */
function problemAnswers(route: Route): Schema {
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of problemsOf(route)) {
    const { status } = problems[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      problemAnswer(codes.map((code) => `\`${code}\``).join(', ')),
    ]),
  );
}

/** What its parameters and body can have wrong, and what it says itself. */
export function problemsOf({
  body,
  params,
  query,
  rawBody,
  problems: own = [],
}: Route): readonly ProblemCode[] {
  return [
    ...new Set<ProblemCode>([
      ...(body || query || params ? (['invalid-request'] as const) : []),
      ...(body ? (['bad-json', 'unsupported-media-type'] as const) : []),
      ...(body || rawBody ? (['payload-too-large'] as const) : []),
      ...own,
      'unauthorized',
    ]),
  ];
}

function problemAnswer(description: string): Schema {
  return {
    description,
    content: { 'application/problem+json': { schema: { $ref: referenceTo('Problem') } } },
  };
}

const problemSchema: Schema = {
  type: 'object',
  description: 'Problem details of RFC 9457. Programs go by `code`, people read `detail`.',
  required: ['type', 'title', 'status', 'detail', 'code'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { type: 'string', enum: Object.keys(problems) },
    faults: {
      type: 'array',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: {
          path: {
            type: 'string',
            description: 'A JSON pointer into the body, or `query.limit`, `path.id` …',
          },
          message: { type: 'string' },
        },
      },
    },
    data: { type: 'object', description: 'What the error knows beside its sentence.' },
  },
};
