export * from '@throughline/stores/s3';
