import { ConversationBuilder, outputText, result, text } from '../src/compose/conversation-builder.ts';
import { isObject, objectOf, textOf } from '../src/recording/json-value.ts';
import { UnreadTypes } from '../src/source/unreadable.ts';
import type { FormatReading } from '../src/recording/format.ts';
import type { LinesDocument } from '../src/recording/recording.ts';

/** Whether a line can only come from this tool: `who` and `said` beside each other are nobody else's. */
export function ownsSmallTalkLine(value: unknown): boolean {
  return isObject(value) && typeof value['who'] === 'string' && 'said' in value;
}

/** Reads the log of Small Talk. It holds neither the system prompt nor token counts. */
export function readSmallTalk(document: LinesDocument): FormatReading {
  const builder = new ConversationBuilder();
  const unread = new UnreadTypes(new Set());
  for (const { value, number } of document.lines) {
    const { who, said, tool } = objectOf(value);
    if (who === 'me') builder.say('user', [text(textOf(said) ?? '')]);
    else if (who === 'bot') sayAnswer(builder, textOf(said) ?? '', tool);
    else unread.see(textOf(who) ?? '', 'line', number);
  }
  const sessions = builder.length === 0 ? [] : [builder.session({ id: 'session', kind: 'active' })];
  return { sessions, notes: unread.notes() };
}

function sayAnswer(builder: ConversationBuilder, said: string, tool: unknown): void {
  if (!isObject(tool)) return builder.say('assistant', [text(said)]);
  const call = { id: `call-${builder.length}`, name: textOf(tool['name']) ?? 'tool' };
  builder.say('assistant', [
    text(said),
    { type: 'call', callId: call.id, name: call.name, input: tool['input'] },
  ]);
  builder.say('tool', [result(call, outputText(tool['output']))]);
}
