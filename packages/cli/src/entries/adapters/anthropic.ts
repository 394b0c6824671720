export * from '@throughline/adapters/anthropic';
