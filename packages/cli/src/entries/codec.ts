export * from '@throughline/core/codec';
