import { apiPage, apiPagePath } from './api-page.ts';
import { writeFileSync } from 'node:fs';

writeFileSync(apiPagePath, apiPage());
