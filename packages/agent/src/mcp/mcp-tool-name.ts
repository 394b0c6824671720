import { createHash } from 'node:crypto';

const maxChars = 64;
const hashChars = 8;

/**
 * `mcp__server__tool`, in the letters every provider takes and at most 64 of them. A name that had to be changed, or that
 * another pair could have too, ends in a hash of the pair: two tools never share a name.
 */
export function mcpToolName(server: string, tool: string): string {
  const plain = `mcp__${server}__${tool}`;
  const clean = plain.replace(/[^a-zA-Z0-9_-]/g, '_');
  const couldBeAnother = server.includes('__') || server.endsWith('_');
  if (clean === plain && clean.length <= maxChars && !couldBeAnother) return plain;
  const hash = createHash('sha256').update(`${server}\0${tool}`).digest('hex').slice(0, hashChars);
  return `${clean.slice(0, maxChars - hashChars - 1)}_${hash}`;
}
