import type { ModelDriver, ModelEvent, StepRequest } from '@throughline/ports';
import { untilSeen } from './until-seen.ts';

/**
 * For models without tools: where a model refuses them, the step is sent again without, with a `left-out` warning, and
 * the later steps of this driver go without from the start.
 */
export function withToolFallback(driver: ModelDriver): ModelDriver {
  let refusal: string | undefined;
  return {
    ...driver,
    async *stream(request, options): AsyncGenerator<ModelEvent, void, undefined> {
      if (refusal === undefined) {
        const hasTools = (request.tools?.length ?? 0) > 0;
        const failed = yield* untilSeen(
          driver.stream(request, options),
          ({ unsupported }) => hasTools && unsupported === 'tools',
        );
        if (!failed) return;
        refusal = failed.failure.message;
      }
      yield { type: 'warning', warning: { type: 'left-out', what: 'tools', message: refusal } };
      yield* driver.stream(withoutTools(request), options);
    },
  };
}

function withoutTools({ tools: _tools, toolChoice: _toolChoice, ...request }: StepRequest): StepRequest {
  return request;
}
