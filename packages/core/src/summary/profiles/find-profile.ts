import { cms } from './cms.ts';
import { coding } from './coding.ts';
import { ContextError } from '../../errors/context-error.ts';
import { general } from './general.ts';
import type { Profile } from './profile.ts';

/** The profiles that come with the engine, by name. */
const profiles: ReadonlyMap<string, Profile> = new Map(
  [coding, cms, general].map((profile) => [profile.name, profile]),
);

/**
 * A profile by name.
 *
 * @throws {ContextError} `not-found` with the known names.
 */
export function findProfile(name: string): Profile {
  const profile = profiles.get(name);
  if (profile) return profile;
  const known = [...profiles.keys()];
  throw new ContextError('not-found', `Unknown profile ${name}. Known: ${known.join(', ')}.`, {
    kind: 'profile',
    id: name,
    known,
  });
}

/** A profile that consists of the user's own prompt. */
export function ownProfile(name: string, prompt: string): Profile {
  return { name, sections: [], rules: [], prompt };
}
