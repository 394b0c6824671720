import type { Profile } from './profile.ts';

/** Work on the content of a site: pages, entries, images, settings. */
export const cms: Profile = {
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
