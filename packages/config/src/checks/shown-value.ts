const maxShownChars = 60;

/** Texts that look like a key, a token or a password. */
const secretStart =
  /^(sk|pk|rk|ghp|gho|ghs|github_pat|xox[abp]|AKIA|AIza|hf|gsk|glpat|eyJ|bearer|basic)[-_ A-Za-z0-9]/i;
const randomLooking = /^(?=.*\d)(?=.*[A-Za-z])[A-Za-z0-9+=_-]{20,}$/;

/** Keys of which no value is ever shown. */
const secretKey =
  /^(headers|env|api[-_]?keys?|key|token|secret|password|passwd|authorization|credentials?)$/i;

/** Whether nothing that stands at this path is shown. */
export function isSecretPath(path: readonly PropertyKey[]): boolean {
  return path.some((key) => typeof key === 'string' && secretKey.test(key));
}

/** A value in a sentence: short, in one line, and no secret. */
export function shownValue(value: unknown, path: readonly PropertyKey[]): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object') return 'a section';
  if (isSecretPath(path)) return 'a value that is not shown';
  if (typeof value !== 'string') return JSON.stringify(value) ?? typeof value;
  const safe = shownText(value);
  if (safe.length <= maxShownChars) return JSON.stringify(safe);
  return `${JSON.stringify(safe.slice(0, maxShownChars).toWellFormed())}… (${value.length} characters)`;
}

/** A text of the configuration without what looks like a secret in it. */
export function shownText(text: string): string {
  if (secretStart.test(text) || randomLooking.test(text)) return '(not shown)';
  if (!text.includes('://')) return text;
  return text.replace(/:\/\/[^/@\s]*@/g, '://(not shown)@').replace(/\?\S*/g, '?(not shown)');
}
