import { changeSettingsRequest, settings } from '../schemas/settings-schemas.ts';
import type { Route } from './route.ts';

const group = 'Settings';

export const settingsRoutes = {
  getSettings: {
    method: 'GET',
    path: '/api/settings',
    group,
    summary: 'What holds for all sessions: models, strategy, thresholds, approvals of tools, limits.',
    about: 'No key, address or header is among it.',
    answers: { 200: settings },
  },
  changeSettings: {
    method: 'PATCH',
    path: '/api/settings',
    group,
    summary: 'Changes settings of all sessions; running ones have them from their next step on.',
    about:
      'What is named changes, the rest stays; all of it, or nothing. `null` takes something back to what is configured, ' +
      'one field or a whole part. It is kept in the store: it holds after the next start, and within seconds in other ' +
      'processes on it; the configuration is not written. Named owners get 403, because the sessions of others would ' +
      'change, too.',
    body: changeSettingsRequest,
    answers: { 200: settings },
    problems: ['invalid-option', 'forbidden'],
  },
} as const satisfies Readonly<Record<string, Route>>;
