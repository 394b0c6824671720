import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from './define-tool.ts';

const shared = { description: 'Does it', input: z.strictObject({ path: z.string() }), execute: () => 'done' };

describe('defineTool', () => {
  it('derives the JSON schema, and what reads may run unasked and again', () => {
    const read = defineTool({ ...shared, name: 'look', reads: () => [] });
    expect(read.inputSchema).toEqual({
      type: 'object',
      properties: { path: { type: 'string' } },
      required: ['path'],
      additionalProperties: false,
    });
    expect(read).toMatchObject({ approval: 'allow', idempotent: true });
    expect(defineTool({ ...shared, name: 'change', writes: () => [] })).toMatchObject({
      approval: 'ask',
      idempotent: false,
    });
  });

  it('takes a tool that says nothing of what it touches for one that may touch anything', () => {
    const prepared = defineTool({ ...shared, name: 'change' }).prepare({ path: 'x' });
    expect(prepared).toMatchObject({ type: 'ready', touches: 'anything' });
  });

  it('refuses a name that providers do not take', () => {
    expect(() => defineTool({ ...shared, name: 'no spaces' })).toThrow('1 to 64 letters');
  });

  it('makes bad input of a schema that throws', () => {
    const refined = z.looseObject({}).refine(() => {
      throw new Error('broken check');
    });
    expect(defineTool({ ...shared, name: 'x', input: refined }).prepare({})).toMatchObject({
      type: 'bad-input',
    });
  });
});
