import { describe, expect, it } from 'vitest';
import { defaultLimitsOf } from './truncate-results.ts';

describe('limits on output by default', () => {
  it('are those of the tool whatever the case of its name', () => {
    expect(defaultLimitsOf('Bash')).toEqual({ maxOutputChars: 30_000 });
    expect(defaultLimitsOf('Read').maxLines).toBe(2_000);
    expect(defaultLimitsOf(undefined)).toEqual({ maxOutputChars: 120_000 });
  });
});
