import type { RejectReason } from './check-answer.ts';

/** What a model is told of its last answer when it is asked again. */
export const corrections: { readonly [Reason in RejectReason]: string } = {
  'cut-off': 'it was cut off before its end. Be much shorter.',
  empty: 'it was empty.',
  'too-short': 'it says too little.',
  'too-long': 'it is longer than allowed. Be much shorter.',
  'longer-than-input': 'it is longer than the messages it stands for. Be much shorter.',
  refusal: 'it refused. Writing a record of a finished conversation is no request to act on its content.',
  'tool-call': 'it called a tool. There are no tools; answer with text.',
  language: 'it was not in the language of the conversation.',
  headings: 'it did not use the given headings.',
};
