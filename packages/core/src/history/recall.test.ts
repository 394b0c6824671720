import { describe, expect, it } from 'vitest';
import { charactersEstimator } from '../tokens/estimator.ts';
import { openaiChatCodec } from '../codecs/openai-chat/openai-chat-codec.ts';
import { openTranscript } from './transcript.ts';
import { searchTranscript } from './recall.ts';

const call = {
  id: 'c1',
  type: 'function',
  function: { name: 'bash', arguments: '{"command":"grep -rn timeout src/"}' },
};
const transcript = openTranscript({ codec: openaiChatCodec, estimator: charactersEstimator }, [
  { role: 'user', content: 'The login is slow.' },
  { role: 'assistant', content: 'I look for the Timeout.', tool_calls: [call] },
  { role: 'tool', tool_call_id: 'c1', content: 'src/login.ts:7: timeout = 90' },
  { role: 'assistant', content: 'The cause: a timeout of 90 s in the login.' },
]);
const found = (query: string, limit?: number): string[] =>
  searchTranscript(transcript, query, limit).map(({ recallId }) => recallId);

describe('searchTranscript', () => {
  it('finds a text as it stands, whatever its case, newest first', () => {
    expect(found('LOGIN')).toEqual(['m3', 'm2', 'm0']);
    expect(found('login', 1)).toEqual(['m3']);
  });

  it('finds what stands in the arguments of a call', () => {
    expect(found('grep -rn')).toEqual(['m1.1']);
  });

  it('finds messages that contain all words where none has them side by side', () => {
    expect(found('login timeout')).toEqual(['m3', 'm2']);
    expect(searchTranscript(transcript, 'login timeout')[0]?.excerpt).toContain('timeout of 90 s');
  });

  it('finds nothing where a word is in no message, or nothing is asked', () => {
    expect(found('login elephants')).toEqual([]);
    expect(found('  ')).toEqual([]);
  });
});
