import type { PeerSetting } from '../peer-contender.ts';

/** Where the prompts of LangChain and deepagents put the conversation. */
const openings = ['<messages>\nMessages to summarize:\n', 'Conversation to summarize:\n'];

/** The fake summariser as a chat model, as far as these libraries use one. */
export function summariserModel({ summariser, windowTokens }: PeerSetting) {
  return {
    profile: { maxInputTokens: windowTokens },
    invoke(input: string | readonly { readonly text: string }[]) {
      const prompt = typeof input === 'string' ? input : input.map(({ text }) => text).join('\n');
      const opening = openings.find((one) => prompt.includes(one)) ?? '';
      const start = opening === '' ? 0 : prompt.indexOf(opening) + opening.length;
      const text = summariser.ask(prompt.slice(0, start), prompt.slice(start));
      return Promise.resolve({ content: text, text });
    },
  };
}
