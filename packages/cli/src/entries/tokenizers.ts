export * from '@throughline/tokenizers';
