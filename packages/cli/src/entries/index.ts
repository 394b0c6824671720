export * from '@throughline/core';
export * from '@throughline/host';
