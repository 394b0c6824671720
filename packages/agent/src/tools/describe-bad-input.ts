import type { z } from 'zod';

const maxIssues = 8;

/** What a model needs to mend its arguments: each key that is wrong, what is expected there and what came. */
export function describeBadInput(toolName: string, input: unknown, error: z.ZodError): string {
  if (typeof input === 'string') {
    return `The arguments of ${toolName} are not valid JSON. Send one JSON object and call it again.`;
  }
  const lines = error.issues.slice(0, maxIssues).map((issue) => `- ${keyOf(issue.path)}: ${issue.message}`);
  const more = error.issues.length > maxIssues ? `\n- and ${error.issues.length - maxIssues} more` : '';
  return `The arguments of ${toolName} are wrong; nothing was done.\n${lines.join('\n')}${more}`;
}

function keyOf(path: readonly PropertyKey[]): string {
  if (path.length === 0) return '(arguments)';
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .slice(1);
}
