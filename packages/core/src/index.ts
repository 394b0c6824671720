export { ContextError } from './errors/context-error.ts';
export {
  anything,
  checkOptions,
  duration,
  invalidOption,
  isOptions,
  numberFrom,
  oneOfTexts,
  optionalFlag,
  optionalFunction,
  optionalList,
  optionalText,
  optionsIn,
  required,
  texts,
  withFunctions,
} from './errors/check-options.ts';
export type { OptionCheck, OptionChecks } from './errors/check-options.ts';
export type { ErrorCode, ErrorDetails, MeasuredPart, StoreFailure } from './errors/context-error.ts';

export { editObject } from './json/edit-object.ts';
export { editText } from './json/edit-text.ts';
export { splitJsonArray } from './json/scan-json.ts';
export { writeJson } from './json/write-json.ts';
export type { Span } from './json/scan-json.ts';
export { valueAt } from './json/json.ts';
export type { Json, Path, WireEdit } from './json/json.ts';

export type {
  Binding,
  CallId,
  CallInput,
  CallPart,
  Entry,
  EntryId,
  MediaPart,
  Mend,
  Mended,
  OpaquePart,
  Part,
  ReasoningPart,
  RecallId,
  ResultPart,
  ResultPiece,
  Role,
  TextPart,
} from './transcript/entry.ts';
export { givenMessage, messageRecallId, partRecallId } from './transcript/entry.ts';
export type { Conversation, EntrySize } from './transcript/conversation.ts';
export { exchangesOf } from './transcript/conversation.ts';
export { injectedKind } from './transcript/injected-text.ts';
export { isRequest, isSpoken } from './transcript/own-words.ts';
export type { OrdinalRun, UnloadedRange } from './transcript/unloaded-range.ts';
export type { Exchange } from './transcript/exchange.ts';
export type { CarriedMessage, Summary, WaitState } from './transcript/summary.ts';
export {
  callInputText,
  callInputValue,
  jsonText,
  entryText,
  resultText,
  visitTexts,
} from './transcript/entry-text.ts';
export { fingerprintEntry, fingerprintRange } from './transcript/fingerprint.ts';

export type {
  ArgumentText,
  Codec,
  CodecName,
  Composed,
  Loss,
  NeutralContent,
  NeutralMedia,
  NeutralPart,
  PartChange,
  Synthetic,
  WireRules,
} from './codecs/codec.ts';
export { openaiChatCodec } from './codecs/openai-chat/openai-chat-codec.ts';
export { openaiResponsesCodec } from './codecs/openai-responses/openai-responses-codec.ts';
export { anthropicCodec } from './codecs/anthropic/anthropic-codec.ts';
export { aiSdkCodec } from './codecs/ai-sdk/ai-sdk-codec.ts';
export { isAnthropicModel, markAiSdkForCache } from './codecs/ai-sdk/mark-for-cache.ts';
export type { AiSdkModel, AiSdkRequest, MarkedAiSdkRequest } from './codecs/ai-sdk/mark-for-cache.ts';
export { aiSdkPromptCodec } from './codecs/ai-sdk/ai-sdk-prompt-codec.ts';
export { openaiAgentsCodec } from './codecs/openai-agents/openai-agents-codec.ts';
export { sessionCodec } from './codecs/session/session-codec.ts';
export type { SessionMessage } from './codecs/session/session-message.ts';
export { convertMessages } from './codecs/convert.ts';
export type { Conversion } from './codecs/convert.ts';
// For codecs of formats that are not built in.
export {
  blockInPlace,
  editArguments,
  editResult,
  editTextPart,
  editWith,
  removeAt,
} from './codecs/edit-table.ts';
export type { EditTable } from './codecs/edit-table.ts';
export {
  decodeContent,
  decodePieces,
  makeEntry,
  opaqueEntry,
  opaquePart,
  readCallId,
} from './codecs/decode-parts.ts';
export type { DecoderTable } from './codecs/decode-parts.ts';
export { base64Media, mediaAtUrl, mediaPart, sourceOfUrl } from './codecs/media.ts';
export { neutralParts, runsOf } from './codecs/neutral-parts.ts';

export type { Estimator } from './tokens/estimator.ts';
export { charactersEstimator } from './tokens/estimator.ts';
export { scriptAwareEstimator } from './tokens/script-aware-estimator.ts';
export { countText, countTools, countValue, measureEntry } from './tokens/measure-entry.ts';
export type { Meter } from './tokens/measure-entry.ts';
export { countMedia, defaultMediaPricing, mediaPricings } from './tokens/media-tokens.ts';
export type { MediaFamily, MediaPricing } from './tokens/media-tokens.ts';
export {
  observe,
  startCalibration,
  toActual,
  toEstimate,
  uncalibrated,
  wholeRequests,
} from './tokens/calibration.ts';
export type { Calibration, CalibrationPair, Observation } from './tokens/calibration.ts';
export { buildClassCodes, characterClasses } from './tokens/character-classes.ts';

export { findModel } from './models/find-model.ts';
export { modelLimits } from './models/model-limits.ts';
export type { CacheBehaviour, ModelEntry, ModelPrices } from './models/model-entry.ts';
export type { FoundModel, ModelMatch } from './models/find-model.ts';
export type { Limit, LimitSource, ModelLimits, ModelLimitsInput } from './models/model-limits.ts';
export { tokenizerSlope } from './models/model-entry.ts';

export { readPercentage } from './budget/read-percentage.ts';
export { budgetOf } from './budget/budget.ts';
export type { Budget, BudgetInput } from './budget/budget.ts';

export type {
  Change,
  ChangeOf,
  ChangeReason,
  ChangeType,
  Injection,
  PartAnchor,
  PartLevelChange,
  RangeAnchor,
  RangeChange,
} from './changes/change.ts';
export { isRangeChange, replay } from './changes/replay.ts';
export type { EntryItem, SyntheticItem, View, ViewItem } from './changes/view.ts';

export type { KeepRule } from './stages/choose-cut.ts';
export type { ToolLimits } from './stages/truncate-results.ts';

export { createStrategy, strategyNames } from './strategies/create-strategy.ts';
export { checkStrategy } from './strategies/check-strategy.ts';
export type { StrategyName, StrategyOptions } from './strategies/create-strategy.ts';
export type { LadderStep, Strategy } from './strategies/strategy.ts';

export { findProfile, ownProfile } from './summary/profiles/find-profile.ts';
export type { Profile } from './summary/profiles/profile.ts';
export { visitNames } from './text/names.ts';
export type {
  NameSum,
  Outcome,
  Piece,
  ProvenState,
  TimelineEntry,
  TimelineLine,
} from './transcript/summary.ts';
export { parsePlaceholder } from './summary/placeholder.ts';
export type { Placeholder } from './summary/placeholder.ts';
export { defaultLimitsOf, truncateOutput } from './stages/truncate-results.ts';
export type { Answer, AnswerUsage, ModelRequest } from './summary/model-request.ts';

export { openLoadedTranscript } from './history/open-loaded-transcript.ts';
export type { LoadedHistory, LoadedMessage } from './history/open-loaded-transcript.ts';
export { appendMessages, openTranscript, rewind, withOutside } from './history/transcript.ts';
export type { Outside, Transcript, TranscriptOptions } from './history/transcript.ts';
export { emptyState, parseState } from './pass/state.ts';
export type { ContextState } from './pass/state.ts';
export { checkMessages } from './history/check-input.ts';
export { checkPolicy } from './pass/policy.ts';
export type { Policy } from './pass/policy.ts';
export { renderView } from './history/render-view.ts';
export type { Rendered, RenderOptions } from './history/render-view.ts';
export type { RenderedMessage } from './history/render-view.ts';
export { checkOverflow } from './context/questions.ts';
export type { OverflowCheck } from './context/questions.ts';
export { measureRequest } from './context/questions.ts';
export type { MeasuredView, RequestMeasure } from './context/questions.ts';
export { checkToolResult } from './context/check-tool-result.ts';
export type { ToolOutput, ToolResultCheck } from './context/check-tool-result.ts';
export { compact } from './context/prepare.ts';
export { countMessages } from './history/transcript.ts';
export type { MessageCounts } from './history/transcript.ts';
export { estimateTokens } from './context/questions.ts';
export type { TokenEstimate } from './context/questions.ts';
export { biggestParts } from './context/questions.ts';
export { shouldCompact } from './context/prepare.ts';
export { needsPruning, prune } from './context/prune.ts';
export type { PruneOptions } from './context/prune.ts';
export { isCacheCold, priceRequest, pricingOf } from './models/prices.ts';
export type { PricedTokens, Pricing } from './models/prices.ts';
export { selectMessages } from './context/questions.ts';
export { validate } from './wire/validate.ts';
export type { CheckOptions, Continued, Violation, ViolationRule } from './wire/validate.ts';
export { repair } from './wire/repair.ts';
export type { Repair, Repaired, RepairedItem } from './wire/repaired.ts';
export { applyRepair } from './wire/apply-repair.ts';
export type { AppliedMessage } from './wire/apply-repair.ts';
export { prepare } from './context/prepare.ts';
export type { PrepareOptions } from './context/prepare.ts';
export { resume } from './context/resume.ts';
export { forgetWindow, learnWindow } from './pass/usage.ts';
export type { WireLimits, WireSize } from './stages/wire-size.ts';
export { reconcile } from './history/reconcile.ts';
export { isSameEntry, sameMessage } from './history/reconcile.ts';
export { upgradeChange, upgradeCheckpoint, upgradeState } from './pass/earlier-words.ts';
export { recordUsage } from './pass/usage.ts';
export { formerState, undo } from './context/undo.ts';
export { toolsInView } from './history/dynamic-context.ts';
export type { DynamicContext } from './history/dynamic-context.ts';
export { markForCache } from './history/mark-for-cache.ts';
export type { CacheableRequest, MarkedRequest, MarkOptions } from './history/mark-for-cache.ts';
export { recall, searchTranscript } from './history/recall.ts';
export type { Found, Recalled } from './history/recall.ts';
export type { CannotFit, Checkpoint, ModelNeeded, Paused, Ready, Step } from './context/step.ts';
export type { CompactionReason } from './pass/report.ts';
export type { PassCost, Report, LadderStepReport, SummariserWork } from './pass/report.ts';
export { advanceBackground } from './context/background.ts';
export type { BackgroundJob, BackgroundStep, WrittenSummary } from './context/background.ts';
