export { fitMessages, recallTool } from './fit-messages.ts';
export type { MessageUsage } from './fit-messages.ts';
export { withCacheMarks } from './with-cache-marks.ts';
export type { MarkedMessages, MarkedText, OutsideMessages } from './with-cache-marks.ts';
export type { AdapterOptions } from '../following/adapter-options.ts';
export type { FitOptions, Fitted, PlainFit } from '../following/plain-fit.ts';
