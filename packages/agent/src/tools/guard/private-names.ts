/** Names of files that usually hold keys and passwords of a project; `*` stands for anything. */
export const defaultPrivateFiles: readonly string[] = ['.env', '.env.*'];

/** Made to be shown: what has to stand in the file beside it, without what is secret. */
const specimen = /[.\-_](example|sample|template|dist)$/i;

/** Whether a file of this name is read only after somebody was asked. Case is ignored, as some file systems do. */
export function isPrivateName(name: string, patterns: readonly string[]): boolean {
  const plain = name.normalize('NFC').toLowerCase();
  return !specimen.test(plain) && patterns.some((pattern) => fits(plain, pattern.toLowerCase()));
}

function fits(name: string, pattern: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[\\^$.|?+()[\]{}]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(name);
}
