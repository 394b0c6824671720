import type { Profile } from './profile.ts';

/** Any other work. */
export const general: Profile = {
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
