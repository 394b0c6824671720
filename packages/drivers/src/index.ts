export { createOpenaiDriver } from './openai/openai-driver.ts';
export type { OpenaiDriverOptions } from './openai/openai-driver.ts';
