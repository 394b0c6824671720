export * from '@throughline/system';
