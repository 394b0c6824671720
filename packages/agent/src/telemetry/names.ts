/**
 * Every name that telemetry is told under. Those with `gen_ai` are of OpenTelemetry's GenAI conventions, as they stand in
 * November 2026: in development, in a repository of their own, without a release. What they have no name for begins with
 * `throughline`.
 */
export const attribute = {
  agentName: 'gen_ai.agent.name',
  conversationId: 'gen_ai.conversation.id',
  operationName: 'gen_ai.operation.name',
  outputMessages: 'gen_ai.output.messages',
  providerName: 'gen_ai.provider.name',
  requestModel: 'gen_ai.request.model',
  requestStream: 'gen_ai.request.stream',
  responseFinishReasons: 'gen_ai.response.finish_reasons',
  responseModel: 'gen_ai.response.model',
  responseTimeToFirstChunk: 'gen_ai.response.time_to_first_chunk',
  tokenType: 'gen_ai.token.type',
  toolCallArguments: 'gen_ai.tool.call.arguments',
  toolCallId: 'gen_ai.tool.call.id',
  toolCallResult: 'gen_ai.tool.call.result',
  toolName: 'gen_ai.tool.name',
  toolType: 'gen_ai.tool.type',
  usageCacheReadInputTokens: 'gen_ai.usage.cache_read.input_tokens',
  usageCacheWriteInputTokens: 'gen_ai.usage.cache_write.input_tokens',
  /** What `cache_write` was called before, and still is by most who read spans: both are told. */
  usageCacheCreationInputTokens: 'gen_ai.usage.cache_creation.input_tokens',
  usageInputTokens: 'gen_ai.usage.input_tokens',
  usageOutputTokens: 'gen_ai.usage.output_tokens',
  usageReasoningOutputTokens: 'gen_ai.usage.reasoning.output_tokens',
  errorType: 'error.type',

  compactionCheckpoint: 'throughline.compaction.checkpoint',
  compactionMessages: 'throughline.compaction.messages',
  compactionOutcome: 'throughline.compaction.outcome',
  compactionPruned: 'throughline.compaction.pruned',
  compactionReason: 'throughline.compaction.reason',
  compactionRound: 'throughline.compaction.round',
  compactionStrategy: 'throughline.compaction.strategy',
  compactionSummarized: 'throughline.compaction.summarized',
  compactionSummary: 'throughline.compaction.summary',
  compactionTokensAfter: 'throughline.compaction.tokens_after',
  compactionTokensBefore: 'throughline.compaction.tokens_before',
  contextLimit: 'throughline.context.limit',
  contextPercent: 'throughline.context.percent',
  contextTokens: 'throughline.context.tokens',
  errorContext: 'throughline.error.context',
  prunedOutputs: 'throughline.pruned_outputs',
  repairType: 'throughline.repair.type',
  retryAttempt: 'throughline.retry.attempt',
  runId: 'throughline.run.id',
  runOutcome: 'throughline.run.outcome',
  runResumed: 'throughline.run.resumed',
  runSteps: 'throughline.run.steps',
  savedTokens: 'throughline.saved_tokens',
  step: 'throughline.step',
  toolCancelled: 'throughline.tool.cancelled',
  toolTruncated: 'throughline.tool.truncated',
} as const;

/** Things that happen inside a span. */
export const spanEvent = {
  error: 'throughline.error',
  modelSwitched: 'throughline.model_switched',
  overflow: 'throughline.overflow',
  pruned: 'throughline.pruned',
  retry: 'throughline.retry',
  toolNotRun: 'throughline.tool.not_run',
} as const;

export const metric = {
  clientTokenUsage: 'gen_ai.client.token.usage',
  clientOperationDuration: 'gen_ai.client.operation.duration',
  clientOperationTimeToFirstChunk: 'gen_ai.client.operation.time_to_first_chunk',
  invokeAgentDuration: 'gen_ai.invoke_agent.duration',
  executeToolDuration: 'gen_ai.execute_tool.duration',
  compactions: 'throughline.compactions',
  compactionDuration: 'throughline.compaction.duration',
  savedTokens: 'throughline.saved_tokens',
  contextPercent: 'throughline.context.percent',
  prunedOutputs: 'throughline.pruned_outputs',
  overflows: 'throughline.overflows',
  repairs: 'throughline.repairs',
} as const;
