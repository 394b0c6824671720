import { access, constants, stat } from 'node:fs/promises';
import { fail, ok, warn } from './finding.ts';
import { isBuiltInProfile } from '@throughline/config';
import type { Check, Finding } from './finding.ts';
import type { Config } from '@throughline/config';

const name = 'workspace';

/** The folder that tools work in is there, and so is a prompt of one's own. */
export function checkWorkspace({ agent: { workspace }, context }: Config): Check {
  const { profile } = context.compaction.options;
  return {
    name,
    run: async () => [
      await folderFinding(workspace),
      ...(isBuiltInProfile(profile) ? [] : [await profileFinding(profile)]),
    ],
  };
}

async function folderFinding(folder: string): Promise<Finding> {
  const found = await stat(folder).catch(() => undefined);
  if (!found) return fail(name, `${folder} is not there.`);
  if (!found.isDirectory()) return fail(name, `${folder} is no folder.`);
  return (await may(folder, constants.W_OK))
    ? ok(name, folder)
    : warn(name, `${folder} may not be written to: write, edit and bash change nothing there.`);
}

async function profileFinding(path: string): Promise<Finding> {
  return (await may(path, constants.R_OK))
    ? ok('profile', path)
    : fail(
        'profile',
        `${path} cannot be read: it is the prompt that context.compaction.options.profile names.`,
      );
}

function may(path: string, mode: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}
