export * from '@throughline/stores/postgres';
