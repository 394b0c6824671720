export * from '@throughline/drivers';
