import { describe, expect, it } from 'vitest';
import { memoryBlobs, openMemoryStore, openSqliteStore } from '../index.ts';

const blobs = memoryBlobs();
const file = ':memory:';

const refusalOf = (option: string): object => ({ code: 'invalid-option', details: { option } });

describe('openSqliteStore', () => {
  it.each([
    ['options', null],
    ['file', { blobs }],
    ['file', { blobs, file: '' }],
    ['file', { blobs, file: 7 }],
    ['blobs', { file }],
    ['blobs', { file, blobs: '/tmp/blobs' }],
    ['blobs', { file, blobs: { ...blobs, get: undefined } }],
    ['clock', { file, blobs, clock: Date.now }],
    ['ids', { file, blobs, ids: {} }],
    ['lockTimeoutMs', { file, blobs, lockTimeoutMs: '5' }],
    ['lockTimeoutMs', { file, blobs, lockTimeoutMs: Number.NaN }],
    ['lockTimeout', { file, blobs, lockTimeout: 5 }],
  ])('refuses %s by its name', async (option, options) => {
    await expect(openSqliteStore(options as never)).rejects.toMatchObject(refusalOf(option));
  });
});

describe('openMemoryStore', () => {
  it.each([
    ['options', null],
    ['file', { file }],
    ['ids', { ids: 7 }],
  ])('refuses %s by its name', async (option, options) => {
    await expect(openMemoryStore(options as never)).rejects.toMatchObject(refusalOf(option));
  });
});
