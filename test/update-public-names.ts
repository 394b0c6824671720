import { writeFileSync } from 'node:fs';
import { currentNames, listPath } from './public-names.ts';

writeFileSync(listPath, currentNames());
