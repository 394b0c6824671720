export * from '@throughline/replay';
