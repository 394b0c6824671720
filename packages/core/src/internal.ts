// For the packages of this workspace. Without promise: a name here may change or go with any version.
export {
  anything,
  checkOptions,
  duration,
  invalidOption,
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
export { errorMessage } from './errors/context-error.ts';
export type { StoreFailure } from './errors/context-error.ts';
export { countOf, definedIn, listOf, objectOf, parseJson, textOf } from './json/json.ts';
export { chatUsage, finishReasons, messagesUsage, responsesUsage } from './codecs/answer-ends.ts';
export type { ToldUsage } from './codecs/answer-ends.ts';
export type { WireObject } from './codecs/decode-parts.ts';
export { jsonMemberSpan, splitJsonArray } from './json/scan-json.ts';
export { writeJson } from './json/write-json.ts';
export { givenMessage } from './transcript/entry.ts';
export type { EntrySize } from './transcript/conversation.ts';
export { isExpansionOf, isOwnText, isRequest, isSpoken, ownWords } from './transcript/own-words.ts';
export { entryText, partText, resultText, visitTexts, withoutEscapes } from './transcript/entry-text.ts';
export { fingerprintEntry, fingerprintPart, fingerprintRange } from './transcript/fingerprint.ts';
export { agentCodec } from './codecs/session/session-codec.ts';
export { isAnthropicModel, markAiSdkForCache } from './codecs/ai-sdk/mark-for-cache.ts';
export type { AiSdkModel, AiSdkRequest, MarkedAiSdkRequest } from './codecs/ai-sdk/mark-for-cache.ts';
export { aiSdkPromptCodec } from './codecs/ai-sdk/ai-sdk-prompt-codec.ts';
export { charactersEstimator } from './tokens/estimator.ts';
export { countTools, countValue } from './tokens/measure-entry.ts';
export type { Meter } from './tokens/measure-entry.ts';
export { countMedia, defaultMediaPricing } from './tokens/media-tokens.ts';
export {
  observe,
  startCalibration,
  calibratedTokens,
  uncalibrated,
  wholeRequests,
} from './tokens/calibration.ts';
export type { Calibration } from './tokens/calibration.ts';
export { buildClassCodes, characterClasses } from './tokens/character-classes.ts';
export { tokenizerSlope } from './models/model-entry.ts';
export type { Limit, LimitSource } from './models/model-limits.ts';
export { budgetOf, mostReserveTokens } from './budget/budget.ts';
export type { PartLevelChange } from './changes/change.ts';
export { changeKey, isRangeChange } from './changes/change.ts';
export { rememberPlaces, replay } from './changes/replay.ts';
export { strategyNames } from './strategies/create-strategy.ts';
export { checkStrategy } from './strategies/strategy.ts';
export { cutHead, cutMiddle } from './text/cut-text.ts';
export { namesOf, visitNames } from './text/names.ts';
export { isWithinLimits, truncateOutput } from './text/truncate-output.ts';
export { parsePlaceholder } from './summary/placeholder.ts';
export { defaultLimitsOf } from './stages/truncate-results.ts';
export type { AnswerUsage } from './summary/model-request.ts';
export { checkMessages } from './history/check-input.ts';
export { bestByWords, wordsOf } from './history/search.ts';
export { checkPolicy } from './pass/policy.ts';
export { mediaTokens } from './pass/usage.ts';
export { biggestParts, countRequest, measureRequest } from './context/questions.ts';
export type { MeasuredView, RequestMeasure } from './context/questions.ts';
export { contextBefore } from './context/finish.ts';
export { checkpointsTo, noCheckpoint, stateBehind } from './context/checkpoints.ts';
export { isCacheCold } from './models/prices.ts';
export { isSameEntry, sameMessage } from './history/reconcile.ts';
export { upgradeChange, upgradeCheckpoint, upgradeState } from './pass/earlier-words.ts';
export type { CompactionReason, PassCost } from './pass/report.ts';
