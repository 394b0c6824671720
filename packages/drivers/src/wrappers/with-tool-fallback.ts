import type { ModelDriver, ModelEvent, StepRequest } from '@throughline/ports';
import { untilSeen, wrapDriver } from '@throughline/system';

/**
 * For models without tools: where a model refuses them, the step is sent again without, with a `left-out` warning, and
 * the later steps of this driver go without from the start.
 */
export function withToolFallback(driver: ModelDriver): ModelDriver {
  let isRefused = false;
  return wrapDriver(driver, async function* (request, options): AsyncGenerator<ModelEvent, void, undefined> {
    if (!isRefused) {
      const hasTools = (request.tools?.length ?? 0) > 0;
      const failed = yield* untilSeen(
        driver.stream(request, options),
        ({ unsupported }) => hasTools && unsupported === 'tools',
      );
      if (!failed) return;
      isRefused = true;
      const { message } = failed.failure;
      yield { type: 'warning', warning: { type: 'left-out', what: 'tools', message } };
    }
    yield* driver.stream(withoutTools(request), options);
  });
}

function withoutTools({ tools: _tools, toolChoice: _toolChoice, ...request }: StepRequest): StepRequest {
  return request;
}
