import { BaseSequencer } from 'vitest/node';
import type { TestSpecification } from 'vitest/node';

/**
 * What takes long begins first, so that no run ends with one file that alone takes half a minute. Vitest knows what
 * took long only where there was a run before; in a fresh clone it goes by the length of the file.
 */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return slowFirst(await super.sort(files));
  }
}

/** Beside that they stay in their order. */
export function slowFirst<File extends Pick<TestSpecification, 'moduleId'>>(files: readonly File[]): File[] {
  const isSlow = ({ moduleId }: File): boolean => /\.(?:slow|long)\.test\.ts$/.test(moduleId);
  return [...files.filter(isSlow), ...files.filter((file) => !isSlow(file))];
}
