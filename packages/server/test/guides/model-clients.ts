import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';

type Print = (text: string) => void;

/** What the guide shows of OpenAI's SDK, in one conversation. */
export async function talkAsOpenai(
  address: string,
  apiKey: string,
  print: Print,
): Promise<readonly string[]> {
  const client = new OpenAI({ baseURL: `${address}/v1`, apiKey });

  const messages: OpenAI.ChatCompletionMessageParam[] = [
    { role: 'user', content: 'What is in this folder?' },
  ];
  const stream = client.chat.completions.stream({ model: 'throughline', messages });
  const first = await stream.on('content', print).finalMessage();

  messages.push(first, { role: 'user', content: 'And the newest file?' });
  const second = await client.chat.completions.create({ model: 'throughline', messages });

  const response = await client.responses.create({ model: 'throughline', input: 'What is in this folder?' });
  const next = await client.responses.create({
    model: 'throughline',
    input: 'And the newest file?',
    previous_response_id: response.id,
  });

  return [first.content, second.choices[0]?.message.content, response.output_text, next.output_text].map(
    String,
  );
}

/** What the guide shows of Anthropic's SDK. */
export async function talkAsAnthropic(
  address: string,
  apiKey: string,
  print: Print,
): Promise<Anthropic.Message> {
  const client = new Anthropic({ baseURL: address, apiKey });

  const stream = client.messages.stream(
    {
      model: 'throughline',
      max_tokens: 8_000,
      thinking: { type: 'adaptive' },
      messages: [{ role: 'user', content: 'What is in this folder?' }],
    },
    { headers: { 'x-session-id': 'my-conversation' } },
  );
  const message = await stream.on('text', print).finalMessage();

  return message;
}
