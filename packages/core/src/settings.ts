// What a configuration is checked and resolved with, without the engine behind it: a program that shows its settings
// before anything else must not wait for 240 modules. `errorMessage`, `definedIn`, `strategyNames` and `readPercentage`
// are not in `index.ts`.
export { ContextError, errorMessage } from './errors/context-error.ts';
export { definedIn } from './json/json.ts';
export { createStrategy, strategyNames } from './strategies/create-strategy.ts';
export { findModel } from './models/find-model.ts';
export { modelLimits } from './models/model-limits.ts';
export { readPercentage } from './budget/budget.ts';
