export { chatRecallTool, fitChat } from './fit-chat.ts';
export type { ChatUsage } from './fit-chat.ts';
export { fitResponses, responsesRecallTool } from './fit-responses.ts';
export type { ResponsesUsage } from './fit-responses.ts';
export type { AdapterOptions } from '../following/adapter-options.ts';
export type { FitOptions, Fitted, PlainFit } from '../following/plain-fit.ts';
