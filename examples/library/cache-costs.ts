/** What a changed prefix costs, by the catalogue, and what the report of a pass says of it. Runs without a key. */
import {
  anthropicCodec,
  appendMessages,
  createStrategy,
  emptyState,
  findModel,
  markForCache,
  openTranscript,
  prepare,
  priceRequest,
  pricingOf,
  prune,
  renderView,
} from '@throughline/core';
import type { Policy, Pricing } from '@throughline/core';

const prefixTokens = 80_000;
for (const id of ['claude-opus-4-6', 'claude-sonnet-5-5', 'gpt-5.1', 'gpt-4o', 'gemini-2.5-pro']) {
  const kept = priceRequest(pricingFor(id), { inputTokens: prefixTokens, cachedTokens: prefixTokens });
  const broken = priceRequest(pricingFor(id), { inputTokens: prefixTokens });
  console.log(
    `${id}: ${prefixTokens} tokens kept ${usd(kept)}, broken ${usd(broken)} (${(broken / kept).toFixed(1)}×)`,
  );
}

const system = 'You are a careful engineer.';
const pricing = pricingFor('claude-opus-4-6');
const policy: Policy = {
  strategy: createStrategy('reactive-overflow'),
  budget: { windowTokens: 32_000 },
  pricing,
};
let transcript = openTranscript({ codec: anthropicCodec, system }, [
  { role: 'user', content: 'Find out why login fails.' },
]);
let state = emptyState();
let passes = 0;
for (let turn = 0; ; turn += 1) {
  const notes = [`It is minute ${turn} of the session.`]; // behind everything else: the prefix stays
  const step = prepare(transcript, state, policy, { notes });
  if (step.type !== 'ready') throw new Error(step.type);
  state = step.state;
  const { cost, tokens, triggerTokens } = step.report;
  if (cost) {
    passes += 1;
    const { rewriteUsd, savedPerStepUsd, breakEvenSteps } = cost;
    console.log(
      `turn ${turn}: ${tokens.before} -> ${tokens.final} tokens; the new prefix costs ${usd(rewriteUsd)} once, ` +
        `each request then ${usd(savedPerStepUsd)} less: paid for after ${breakEvenSteps} requests`,
    );
  }
  const { messages } = renderView(transcript, step.view, { notes });
  const request = markForCache({ system, messages });
  if (passes === 2 && tokens.final > triggerTokens * 0.95) {
    console.log(`marks in the last request: ${countMarks(request)}`);
    break;
  }
  transcript = appendMessages(transcript, answer(turn));
}
for (const idleMs of [60_000, pricing.cache.lifetimeMs]) {
  const { report } = prune(transcript, policy, state, { idleMs });
  console.log(
    `idle for ${idleMs / 60_000} min: prune ${report.tokens.before} -> ${report.tokens.final} tokens`,
  );
}

function pricingFor(id: string): Pricing {
  const found = findModel(id);
  const known = found && pricingOf(found.entry);
  if (!known) throw new Error(`The catalogue has no price for ${id}.`);
  return known;
}

function usd(dollars: number): string {
  return `$${dollars.toFixed(4)}`;
}

function countMarks(request: unknown): number {
  return JSON.stringify(request).split('"cache_control"').length - 1;
}

/** What a model and its tools would add. */
function answer(turn: number): unknown[] {
  const id = `toolu_${turn}`;
  const body = `export function step${turn}(session) { return check(session, ${turn}); }\n`.repeat(20);
  return [
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id, name: 'read', input: { path: `step-${turn}.ts` } }],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: body }] },
  ];
}
