export type * from '@throughline/core/types';
