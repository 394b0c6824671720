import { partText } from './part-text.ts';
import { readMessages } from './read-messages.ts';
import type { BlobStore, RecalledText } from '@throughline/ports';
import type { SessionRow, Tx } from './schema.ts';

const messageGrammar = /^m(\d{1,15})(?:\.(\d{1,9}))?$/;
const outputGrammar = /^o(\d{1,15})$/;

/** What a recall id of the engine (`m12`, `m12.3`), or of a whole output (`o7`), stands for. */
export async function recallFrom(
  tx: Tx,
  session: SessionRow,
  recallId: string,
): Promise<RecalledText | { readonly hash: string } | undefined> {
  const id = recallId.trim();
  const ofMessage = messageGrammar.exec(id);
  if (ofMessage) return recallMessage(tx, session, id, ofMessage);
  const ofOutput = outputGrammar.exec(id);
  if (!ofOutput) return undefined;
  return tx
    .selectFrom('outputs')
    .select('hash')
    .where('session_key', '=', session.key)
    .where('number', '=', Number(ofOutput[1]))
    .executeTakeFirst();
}

/** The text of an output. */
export async function recallOutput(
  blobs: BlobStore,
  recallId: string,
  hash: string,
): Promise<RecalledText | undefined> {
  const bytes = await blobs.get(hash);
  return bytes && { id: recallId.trim(), role: 'tool', text: textOfBytes(bytes) };
}

export function textOfBytes(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

async function recallMessage(
  tx: Tx,
  session: SessionRow,
  id: string,
  [, ordinal, part]: RegExpExecArray,
): Promise<RecalledText | undefined> {
  const first = Number(ordinal);
  const [stored] = await readMessages(tx, session.key, { first, end: first + 1 });
  if (!stored) return undefined;
  const { role, parts } = stored.message;
  const wanted: readonly unknown[] = part === undefined ? parts : parts.slice(Number(part), Number(part) + 1);
  if (part !== undefined && wanted.length === 0) return undefined;
  return { id, role, text: wanted.map(partText).join('\n') };
}
