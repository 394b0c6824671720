import { expect, it } from 'vitest';
import { readPrompt } from './prompt-content.ts';
import type { ContentBlock } from '@agentclientprotocol/sdk';
import type { ReadPrompt } from './prompt-content.ts';

const text = (said: string): ContentBlock => ({ type: 'text', text: said });

it.each<readonly [string, ContentBlock[], ReadPrompt]>([
  ['text', [text('Hello')], { type: 'content', content: 'Hello' }],
  ['a command', [text(' /compact the tests ')], { type: 'command', name: 'compact', argument: 'the tests' }],
  [
    'a path that is no command',
    [text('/etc/hosts is odd')],
    { type: 'content', content: '/etc/hosts is odd' },
  ],
  [
    'a mention in a sentence',
    [text('See '), { type: 'resource_link', name: 'a b.ts', uri: 'file:///home/me/a%20b.ts' }, text('.')],
    { type: 'content', content: 'See [@a b.ts](/home/me/a b.ts).' },
  ],
  [
    'the content of a file with a fence in it',
    [{ type: 'resource', resource: { uri: 'file:///home/me/a.md', text: '```js\n1\n```' } }],
    {
      type: 'content',
      content: [
        { type: 'text', text: '[@a.md](/home/me/a.md)' },
        { type: 'text', text: 'Content of /home/me/a.md:\n````\n```js\n1\n```\n````' },
      ],
    },
  ],
  [
    'bytes of a file',
    [
      {
        type: 'resource',
        resource: { uri: 'zed://x/report.pdf', blob: 'QQ==', mimeType: 'application/pdf' },
      },
    ],
    {
      type: 'content',
      content: [
        { type: 'text', text: '[@report.pdf](zed://x/report.pdf)' },
        { type: 'file', data: 'QQ==', mediaType: 'application/pdf', filename: 'report.pdf' },
      ],
    },
  ],
  [
    'an image alone',
    [{ type: 'image', data: 'QQ==', mimeType: 'image/png' }],
    { type: 'content', content: [{ type: 'image', data: 'QQ==', mediaType: 'image/png' }] },
  ],
  ['nothing', [text('  ')], { type: 'refused', reason: 'The prompt is empty.' }],
  [
    'audio',
    [{ type: 'audio', data: 'QQ==', mimeType: 'audio/wav' }],
    { type: 'refused', reason: 'Audio is not taken: send text, images or files.' },
  ],
])('a prompt can be %s', (_, blocks, read) => {
  expect(readPrompt(blocks)).toEqual(read);
});
