import { ContextError } from '../errors/context-error.ts';

/** A section of the prose, as the summariser is asked for it. */
interface ProfileSection {
  readonly heading: string;
  /** What belongs into it, in words for the model. */
  readonly hint: string;
}

/** What a summary of a domain says. Plain data: a profile is stored with its job. */
export interface Profile {
  readonly name: string;
  /** In this order; without the sections that code writes. */
  readonly sections: readonly ProfileSection[];
  /** Rules of the domain, in words for the model. */
  readonly rules: readonly string[];
  /** The user's own prompt: takes the place of sections and rules. */
  readonly prompt?: string;
}

/** The default: work on code and files. */
export const coding: Profile = {
  name: 'coding',
  sections: [
    {
      heading: 'Completed Work',
      hint: 'A table with the columns File/Component, Action, Description; one row for each thing done, oldest first.',
    },
    {
      heading: 'Key Technical Decisions',
      hint: 'Bullets: what was decided and why, what was tried and rejected, what the user demanded or forbade.',
    },
    {
      heading: 'Current State',
      hint: 'Two bullets: **Working on**: what is being done right now; **Last completed**: the last finished step and its outcome.',
    },
    {
      heading: 'Pending Work',
      hint: 'A checklist (`- [ ]`) of what is still to do, in order.',
    },
    {
      heading: 'Errors & Resolutions',
      hint: 'Bullets: the error in its exact words, its cause, what resolved it or what was tried. Leave the section out if there were none.',
    },
  ],
  rules: [
    'Keep exact paths, names of functions and types, commands, error texts, versions, ports, ids and URLs.',
    'Say of commands and tests whether they passed.',
  ],
};

/** Work on the content of a site: pages, entries, images, settings. */
const cms: Profile = {
  name: 'cms',
  sections: [
    {
      heading: 'Completed Work',
      hint: 'A table with the columns Item (page, section, entry, image), Id or Slug, Action, Description; oldest first.',
    },
    {
      heading: 'Pages and Entries',
      hint: 'Bullets: pages with their sections, entries and images as they are now, each with id and slug.',
    },
    {
      heading: 'Site Settings',
      hint: 'Bullets: navigation, header, footer and other settings that were read or changed.',
    },
    {
      heading: 'Design and Tone',
      hint: 'Bullets: preferences of the user for design, wording and tone; options that the user rejected.',
    },
    {
      heading: 'Current State',
      hint: 'Bullets: **Working on**, **Last completed**, calls in progress, unresolved questions to the user.',
    },
    {
      heading: 'Pending Work',
      hint: 'A checklist (`- [ ]`) of what is still to do, in order.',
    },
    {
      heading: 'Errors & Resolutions',
      hint: 'Bullets: error states and what resolved them. Leave the section out if there were none.',
    },
  ],
  rules: ['Keep every id, slug, locale, asset name and URL exactly.'],
};

/** Any other work. */
const general: Profile = {
  name: 'general',
  sections: [
    {
      heading: 'Completed Work',
      hint: 'Bullets: what was done and with which outcome, oldest first.',
    },
    {
      heading: 'Key Decisions',
      hint: 'Bullets: what was decided and why; what the user demanded or forbade.',
    },
    {
      heading: 'Current State',
      hint: 'Bullets: what is being done right now, what was completed last, which files or items matter.',
    },
    { heading: 'Pending Work', hint: 'A checklist (`- [ ]`) of what comes next.' },
    {
      heading: 'Errors & Resolutions',
      hint: 'Bullets. Leave the section out if there were none.',
    },
  ],
  rules: ['Keep exact names, numbers, dates, ids and links.'],
};

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
