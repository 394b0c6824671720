/** Types of what the server tells, for those who draw it. */
export type * from '@throughline/client';
