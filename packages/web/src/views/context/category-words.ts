import type { ContextItem, UsageByCategory } from '../../data/types.ts';

interface Category {
  readonly key: keyof UsageByCategory;
  readonly label: string;
  /** Colour of its part of the bar; all differ in lightness, too. */
  readonly color: string;
}

export const categories: readonly Category[] = [
  { key: 'system', label: 'System text', color: 'bg-[#64748b]' },
  { key: 'tools', label: 'Tools', color: 'bg-[#0e7490]' },
  { key: 'user', label: 'What you said', color: 'bg-[#4f46e5]' },
  { key: 'assistant', label: 'What the model said', color: 'bg-[#9333ea]' },
  { key: 'toolResults', label: 'Results of tools', color: 'bg-[#d97706]' },
  { key: 'media', label: 'Images and files', color: 'bg-[#db2777]' },
  { key: 'summary', label: 'Summaries', color: 'bg-[#16a34a]' },
];

const roleWords: Readonly<Record<NonNullable<ContextItem['role']>, string>> = {
  system: 'System',
  user: 'You',
  assistant: 'Model',
  tool: 'Result',
};

/** What an item is, in a few words. */
export function itemTitle({ type, name, role, ordinal }: ContextItem): string {
  if (type === 'system') return 'System text';
  if (type === 'tool') return `Tool ${name}`;
  if (type === 'summary') return name === 'summary' ? 'Summary' : 'Note of the program';
  const who = role ? roleWords[role] : '';
  return `${who}${name === '' ? '' : ` ${name}`} · m${ordinal ?? '?'}`;
}
