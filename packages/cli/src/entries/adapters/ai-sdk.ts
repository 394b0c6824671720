export * from '@throughline/adapters/ai-sdk';
