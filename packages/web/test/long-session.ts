import { createClient } from '@throughline/client';
import type { Session } from '@throughline/client';

/** A session that is there already: its messages were written elsewhere, one each for the user and the agent. */
export async function seedSession(
  url: string,
  length: number,
  textOf: (ordinal: number) => string = (ordinal) => `Message number ${ordinal}.`,
): Promise<Session> {
  const messages = Array.from({ length }, (_, ordinal) => ({
    role: ordinal % 2 === 0 ? 'user' : 'assistant',
    content: textOf(ordinal),
  }));
  return await createClient({ baseUrl: url }).importSession(JSON.stringify(messages));
}

/** Text of all kinds, as long as answers of a model are. */
export function variedText(ordinal: number): string {
  const kinds = [
    `Question ${ordinal}: why does the build of part ${ordinal % 7} fail?`,
    `Answer ${ordinal}. ${'It fails because a name is used before it is there. '.repeat(1 + (ordinal % 9))}`,
    `## Steps of ${ordinal}\n\n- read the log\n- find the **first** error\n- mend \`part.ts\``,
    `Line ${ordinal}:\n\n\`\`\`ts\nexport const part${ordinal} = (name: string): string => name;\n\`\`\``,
    `| part | size |\n|---|---|\n| ${ordinal} | ${ordinal * 3} |`,
  ];
  return kinds[ordinal % kinds.length] ?? '';
}
