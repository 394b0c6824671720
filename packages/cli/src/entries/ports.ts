export * from '@throughline/ports';
