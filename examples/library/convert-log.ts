/**
 * A log that is neither JSON nor JSONL becomes a file that the command line and `readRecording` read: its messages in our
 * own session format, one on a line. Here the log has one entry on a line, in three columns with tabs between them.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { estimateTokens, openTranscript } from '@throughline/core';
import { ConversationBuilder, readRecording, resultPart, textPart } from '@throughline/importers';

const log = [
  'user\t\tWhat is in notes.txt?',
  'assistant\t\tI look.',
  'call\tread\t{"path":"notes.txt"}',
  'result\tread\tbuy milk',
  'assistant\t\tIt says: buy milk.',
].join('\n');

/** The log as JSONL. A call gets its id from its position, so that the same log gives the same ids. */
function convertLog(text: string): string {
  const builder = new ConversationBuilder();
  let call = { id: '', name: '' };
  for (const [index, line] of text.split('\n').entries()) {
    const [kind = '', name = '', said = ''] = line.split('\t');
    if (kind === 'user' || kind === 'assistant') builder.say(kind, [textPart(said)]);
    else if (kind === 'call') {
      call = { id: `call-${builder.length}`, name };
      const input: unknown = JSON.parse(said);
      builder.say('assistant', [{ type: 'call', callId: call.id, name, input }]);
    } else if (kind === 'result') builder.say('tool', [resultPart(call, said)]);
    else if (line !== '') console.warn(`line ${index + 1} is not read: ${line}`);
  }
  const { messages } = builder.session({ id: 'session', kind: 'active' });
  return messages.map((message) => `${JSON.stringify(message)}\n`).join('');
}

const folder = await mkdtemp(join(tmpdir(), 'throughline-convert-'));
const file = join(folder, 'talk.jsonl');
await writeFile(file, convertLog(log));

const { format, sessions } = await readRecording(file);
for (const { codec, messages } of sessions) {
  const { total } = estimateTokens(openTranscript({ codec }, messages));
  console.log(`read as ${format}: ${messages.length} messages, about ${Math.round(total)} tokens`);
}
await rm(folder, { recursive: true });
