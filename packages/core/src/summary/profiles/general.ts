import type { Profile } from './profile.ts';

/** Any other work. */
export const general: Profile = {
  name: 'general',
  sections: [
    {
      heading: 'Completed Work',
      role: 'done',
      hint: 'Bullets: what was done and with which outcome, oldest first.',
    },
    {
      heading: 'Key Decisions',
      role: 'decisions',
      hint: 'Bullets: what was decided and why; what the user demanded or forbade.',
    },
    {
      heading: 'Current State',
      role: 'state',
      hint: 'Bullets: what is being done right now, what was completed last, which files or items matter.',
    },
    { heading: 'Pending Work', role: 'pending', hint: 'A checklist (`- [ ]`) of what comes next.' },
    {
      heading: 'Errors & Resolutions',
      role: 'errors',
      hint: 'Bullets. Leave the section out if there were none.',
    },
  ],
  rules: ['Keep exact names, numbers, dates, ids and links.'],
};
