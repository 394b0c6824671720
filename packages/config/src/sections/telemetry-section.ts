import { field, section } from '../fields/field.ts';
import { address, flag, share, word } from '../fields/rules.ts';

/** OpenTelemetry (spec A12). */
export const telemetrySection = section(
  {
    enabled: field(flag, { about: 'Sends spans and metrics.', default: false }),
    endpoint: field(address, {
      about: 'The collector (OTLP over HTTP).',
      default: 'http://localhost:4318',
    }),
    serviceName: field(word('a name without blanks'), {
      about: 'The name spans are sent under.',
      default: 'throughline',
    }),
    sampleRatio: field(share, { about: 'Share of the runs that are traced.', default: 1 }),
    recordContent: field(flag, { about: 'Puts messages into spans.', default: false }),
  },
  'Spans and metrics.',
);
