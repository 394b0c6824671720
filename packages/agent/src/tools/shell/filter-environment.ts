const secretName = /KEY|TOKEN|SECRET|PASS|_PWD|PWD_|CREDENTIAL|AUTH|COOKIE|SESSION|PRIVATE|SIGNATURE|DSN$/i;
const secretInUrl = /:\/\/[^\s/@]*:[^\s/@]+@/;

/** Shells run commands from these before the one they were given. */
const startFiles: ReadonlySet<string> = new Set(['BASH_ENV', 'ENV']);

/** What commands get instead of what a person at a terminal has: no pager and no question waits for a key. */
const fixed = {
  TERM: 'dumb',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
};

/**
 * The environment of a command: without variables whose name speaks of a secret or whose value is a URL with a password,
 * `allowed` names excepted.
 */
export function filterEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  allowed: readonly string[] = [],
): Record<string, string> {
  const kept = Object.entries(environment).flatMap(([name, value]) => {
    if (value === undefined || startFiles.has(name)) return [];
    const isSecret = secretName.test(name) || secretInUrl.test(value);
    return isSecret && !allowed.includes(name) ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(kept), ...fixed };
}
