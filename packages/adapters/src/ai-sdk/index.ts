export { aiSdkContext } from './ai-sdk-context.ts';
export type { AiSdkContext, AiSdkOptions, PreparedStep, RecallTool, StepOptions } from './ai-sdk-context.ts';
export type { CacheMarkOptions } from './cache-marks.ts';
export { contextMiddleware } from './context-middleware.ts';
export type { CallOptions, ContextMiddleware, MiddlewareOptions } from './context-middleware.ts';
export type { CountedAnswer, SdkUsage } from './usage.ts';
export type { AdapterOptions, StateStore } from '../following/adapter-options.ts';
