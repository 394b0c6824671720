export * from '@throughline/importers';
