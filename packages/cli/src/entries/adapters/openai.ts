export * from '@throughline/adapters/openai';
