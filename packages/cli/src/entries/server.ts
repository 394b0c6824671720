export * from '@throughline/server';
