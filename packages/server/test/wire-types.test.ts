import { expectTypeOf, it } from 'vitest';
import type * as agent from '@throughline/agent';
import type * as wire from '@throughline/protocol/types';

it('tells the events of the agent as they are: the types of the contract are theirs, in both directions', () => {
  expectTypeOf<agent.AgentEvents>().toExtend<wire.AgentEvents>();
  expectTypeOf<wire.AgentEvents>().toExtend<agent.AgentEvents>();
  expectTypeOf<keyof agent.AgentEvents>().toEqualTypeOf<keyof wire.AgentEvents>();
  expectTypeOf<agent.AgentEvent>().toExtend<wire.AgentEvent>();
  expectTypeOf<wire.AgentEvent>().toExtend<agent.AgentEvent>();
});

it('takes what the agent takes, and answers what it answers', () => {
  expectTypeOf<wire.UserContent>().toEqualTypeOf<agent.UserContent>();
  expectTypeOf<agent.RunOutcome>().toExtend<wire.RunOutcome>();
  expectTypeOf<wire.RunOutcome>().toExtend<agent.RunOutcome>();
  expectTypeOf<agent.ContextUsage>().toEqualTypeOf<wire.ContextUsage>();
  expectTypeOf<wire.ApprovalAnswer>().toEqualTypeOf<agent.ApprovalAnswer>();
});
