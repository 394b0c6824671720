import { describe, expect, it } from 'vitest';
import { ContextError } from '../errors/context-error.ts';
import { findProfile, ownProfile } from './profiles.ts';

describe('findProfile', () => {
  it('finds the profiles that come with the engine', () => {
    expect(['coding', 'cms', 'general'].map((name) => findProfile(name).name)).toEqual([
      'coding',
      'cms',
      'general',
    ]);
  });

  it('names the known ones when it does not', () => {
    try {
      findProfile('poetry');
      expect.unreachable();
    } catch (error) {
      expect(ContextError.is(error, 'not-found') && error.details.known).toEqual([
        'coding',
        'cms',
        'general',
      ]);
    }
  });

  it('makes a profile of a prompt', () => {
    expect(ownProfile('mine', 'Write it.')).toEqual({
      name: 'mine',
      sections: [],
      rules: [],
      prompt: 'Write it.',
    });
  });
});
