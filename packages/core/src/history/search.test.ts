import { describe, expect, it } from 'vitest';
import { charactersEstimator } from '../tokens/estimator.ts';
import { openaiChatCodec } from '../codecs/openai-chat/openai-chat-codec.ts';
import { openTranscript } from './transcript.ts';
import { recall } from './recall.ts';
import { searchTranscript } from './search.ts';

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

  it('finds what holds most of what is rare in the words where nothing holds them all, and says what it lacks', () => {
    const hits = searchTranscript(transcript, 'cause elephants login');
    expect(hits.map(({ recallId, missing }) => [recallId, missing])).toEqual([['m3', ['elephants']]]);
    expect(searchTranscript(transcript, 'grep elephants')).toMatchObject([
      { recallId: 'm1.1', missing: ['elephants'] },
    ]);
    expect(searchTranscript(transcript, 'login timeout')[0]).not.toHaveProperty('missing');
  });

  it('names the message where the words stand in several of its parts, so that its id returns them all', () => {
    const [hit] = searchTranscript(transcript, 'look slow-query "grep"');
    expect([hit?.recallId, hit?.missing]).toEqual(['m1', ['slow-query']]);
    expect(recall(transcript, 'm1')?.text).toMatch(/look[^]*grep/);
  });

  it.each(['recall', 'context_recall', 'mcp__throughline__context_recall'])(
    'leaves out what a model has searched for with %s, and what it was answered',
    (name) => {
      const search = (id: string, query: string): unknown => ({
        role: 'assistant',
        content: `I look for ${id}.`,
        tool_calls: [{ id, type: 'function', function: { name, arguments: JSON.stringify({ query }) } }],
      });
      const searched = openTranscript({ codec: openaiChatCodec, estimator: charactersEstimator }, [
        { role: 'user', content: 'The harbour is at berth 7.' },
        search('c1', 'harbour berth'),
        { role: 'tool', tool_call_id: 'c1', content: 'm0 (user): The harbour is at berth 7.' },
        search('c2', 'harbour'),
        { role: 'tool', tool_call_id: 'c2', content: 'm0 (user): The harbour is at berth 7.' },
      ]);
      for (const query of ['harbour', 'harbour berth', 'harbour elephants'])
        expect(searchTranscript(searched, query).map(({ recallId }) => recallId)).toEqual(['m0']);
      expect(searchTranscript(searched, 'look for c2').map(({ recallId }) => recallId)).toEqual(['m3.0']);
    },
  );

  it('takes no notice of marks around words, and of the longest of very many words', () => {
    expect(found('Timeout?')).toEqual(found('timeout'));
    const many = Array.from({ length: 30 }, (_, at) => `w${at}`).join(' ');
    expect(searchTranscript(transcript, `${many} login`)[0]?.missing).toHaveLength(23);
  });

  it('shows the text around each of the words', () => {
    const filler = 'and so on '.repeat(100);
    const text = `${filler}the harbour ${filler} the lighthouse ${filler}`;
    const long = openTranscript({ codec: openaiChatCodec }, [{ role: 'user', content: text }]);
    expect(searchTranscript(long, 'harbour lighthouse')[0]?.excerpt).toMatch(
      /the lighthouse .* … .* the harbour/,
    );
  });

  it('shows more of the text where little is found', () => {
    const text = `${'a'.repeat(500)} needle ${'b'.repeat(500)}`;
    const message = { role: 'user', content: text };
    const excerptOf = (count: number): number =>
      searchTranscript(
        openTranscript(
          { codec: openaiChatCodec },
          Array.from({ length: count }, () => message),
        ),
        'needle',
      )[0]?.excerpt.length ?? 0;
    expect([excerptOf(5), excerptOf(6)]).toEqual([486, 166]);
  });

  it('finds nothing where none of the words is in a message, or nothing is asked', () => {
    expect(found('elephants')).toEqual([]);
    expect(found('white elephants')).toEqual([]);
    expect(found('  ')).toEqual([]);
  });
});
