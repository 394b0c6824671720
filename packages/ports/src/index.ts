export type { Driver } from './driver.ts';
