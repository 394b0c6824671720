import { field, section } from '../fields/field.ts';
import { oneOf, path } from '../fields/rules.ts';

const blobs = section(
  {
    folder: field(path, { about: 'The folder.', defaultText: '`blobs` beside `store.file`' }),
  },
  'Where images, files and long outputs are kept.',
);

/** Where sessions live (spec S1, S4). */
export const storeSection = section(
  {
    type: field(oneOf('sqlite', 'memory'), {
      about: 'What keeps sessions; those in `memory` end with the program.',
      default: 'sqlite',
    }),
    file: field(path, {
      about: 'The file, for `sqlite`.',
      defaultText:
        '`$XDG_DATA_HOME/throughline/throughline.db`, else `~/.local/share/throughline/throughline.db`',
    }),
    blobs,
  },
  'Where sessions are kept.',
);
