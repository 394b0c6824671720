import type { Profile } from './profile.ts';

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
