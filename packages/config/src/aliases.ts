/** Keys with a second name. `*` stands for a name of the user's own. */
export const aliases: readonly Alias[] = [
  { within: [], alias: 'summariser', name: 'summarizer' },
  { within: ['context'], alias: 'compression', name: 'compaction' },
  { within: ['proxy', 'routes', '*', 'context'], alias: 'compression', name: 'compaction' },
];

export interface Alias {
  readonly within: readonly string[];
  readonly alias: string;
  readonly name: string;
}
