export * from '@throughline/client';
