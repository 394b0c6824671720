import { describe, expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import { helpInDocs } from './help-in-docs.ts';
import { apiPage, apiPagePath } from './api-page.ts';
import {
  openApiDocument,
  otherRoutes,
  problemHelp,
  problems,
  problemsOf,
  routes,
} from '@throughline/protocol';
import type { Route } from '@throughline/protocol';

const document = openApiDocument('1');
const all: readonly (readonly [string, Route])[] = Object.entries({ ...routes, ...otherRoutes });

describe('docs/api.md', () => {
  it('is what the OpenAPI document says (npm run api:update rewrites it)', () => {
    expect(readFileSync(apiPagePath, 'utf8')).toBe(apiPage());
  });
});

describe('docs/errors.md', () => {
  it('explains every code of the HTTP API, and no other', () => {
    const page = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8');
    const headings = [...page.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual(Object.keys(problems));
  });

  it('is what the server tells of each code (npm run api:update rewrites that)', () => {
    expect(problemHelp).toEqual(helpInDocs());
  });
});

describe('the OpenAPI document', () => {
  it('has every route of the table once, with parameters for all parts of its address', () => {
    const paths = document['paths'] as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    for (const [name, { method, path }] of all) {
      const operation = paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()] as {
        readonly operationId: string;
        readonly parameters?: readonly { readonly name: string; readonly in: string }[];
      };
      expect(operation.operationId).toBe(name);
      const parts = [...path.matchAll(/:(\w+)/g)].map(([, part]) => part);
      const given = (operation.parameters ?? []).filter((one) => one.in === 'path').map((one) => one.name);
      expect(given).toEqual(parts);
    }
    expect(Object.values(paths).flatMap((methods) => Object.keys(methods))).toHaveLength(all.length);
  });

  it('refers to nothing that is not in it', () => {
    const { schemas } = document['components'] as { readonly schemas: object };
    const references = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)];
    const names = new Set(references.map(([, name]) => name));
    expect(names.size).toBeGreaterThan(20);
    expect([...names].filter((name) => !Object.hasOwn(schemas, name ?? ''))).toEqual([]);
  });

  it('says of no schema that it is only read: requests hold them, too', () => {
    expect(JSON.stringify(document)).not.toContain('readOnly');
  });

  it('is the same each time', () => {
    expect(openApiDocument('1')).toEqual(document);
  });
});

it.each(all)('the route %s says what a caller can have wrong', (_, route) => {
  const codes = problemsOf(route);
  expect(codes).toContain('unauthorized');
  expect(codes.includes('bad-json')).toBe(route.body !== undefined);
  expect(codes.filter((code) => !Object.hasOwn(problems, code))).toEqual([]);
});
