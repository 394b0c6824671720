import { editText } from '@throughline/core';
import type { Json, Path } from '@throughline/core';
import type { ViewMessage } from '../recording.ts';

/**
 * The JSON text with the view in the place of a list that is none: of a text that stands for one message. Everything
 * around it keeps its bytes.
 */
export function setList(text: string, array: Path, view: readonly ViewMessage[]): string | undefined {
  return editText(text, [{ at: array, set: view.map(({ message }) => message as Json) }]);
}
