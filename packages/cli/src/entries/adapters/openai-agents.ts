export * from '@throughline/adapters/openai-agents';
