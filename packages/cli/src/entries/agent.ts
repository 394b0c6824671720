export * from '@throughline/agent';
