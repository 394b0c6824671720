export * from '@throughline/stores';
