export { randomIds } from './random-ids.ts';
export { systemClock } from './system-clock.ts';
export { systemTimer } from './system-timer.ts';
export { Patience } from './patience.ts';
export { isProcessDead, thisProcess } from './this-process.ts';
