export { chatRecallTool, fitChat, fitResponses, responsesRecallTool } from './fit-requests.ts';
export type { ChatUsage, ResponsesUsage } from './fit-requests.ts';
export type { AdapterOptions } from '../following/adapter-options.ts';
export type { FitOptions, Fitted, PlainFit } from '../following/plain-fit.ts';
