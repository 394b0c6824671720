import type { TimelineEntry } from '../transcript/timeline.ts';

const absolutePath = /(?:^|[\s"'=(:])(\/(?:[\w.@+-]{1,100}\/){2,20})/g;
const leastUses = 4;
// Of the paths that are named.
const leastShare = 0.8;

/** The folder that most absolute paths in a timeline's calls lie in; empty where there is none. */
export function pathRoot(timeline: readonly TimelineEntry[]): string {
  const folders: string[] = [];
  for (const { lines } of timeline)
    for (const { label } of lines)
      for (const [, folder = ''] of label.matchAll(absolutePath))
        if (!folder.startsWith('/tmp/')) folders.push(folder);
  if (folders.length < leastUses) return '';
  const uses = new Map<string, number>();
  for (const folder of folders) {
    for (let end = folder.indexOf('/', 1); end >= 0; end = folder.indexOf('/', end + 1)) {
      const parent = folder.slice(0, end + 1);
      uses.set(parent, (uses.get(parent) ?? 0) + 1);
    }
  }
  const common = [...uses].filter(
    ([path, count]) => count >= folders.length * leastShare && path.split('/').length > 3,
  );
  // The deepest folder that holds enough of them.
  return common.sort(([a], [b]) => b.length - a.length || (a < b ? -1 : 1))[0]?.[0] ?? '';
}

/** A text in which paths below the root are relative to it. */
export function withoutRoot(text: string, root: string): string {
  return root === '' || !text.includes(root) ? text : text.replaceAll(root, '');
}
