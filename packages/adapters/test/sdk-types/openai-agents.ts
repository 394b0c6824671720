import { Agent, run, Runner, tool } from '@openai/agents';
import { openaiAgentsContext } from '../../src/openai-agents/index.ts';
import type { Model, Session } from '@openai/agents';
import type { OpenaiAgentsOptions } from '../../src/openai-agents/index.ts';

/** Compiles only while the adapter fits the real SDK without a cast. */
export async function useContext(options: OpenaiAgentsOptions, model: Model, stored: Session): Promise<void> {
  const context = openaiAgentsContext(options);
  const { callModelInputFilter } = context;
  const agent = new Agent({
    name: 'a',
    model: context.model(model),
    tools: [tool(context.recallTool)],
  });
  const session: Session = context.session(stored);
  const result = await run(agent, 'go', { session, callModelInputFilter });
  await context.recordUsage(result.rawResponses.at(-1)?.usage);
  await new Runner({ callModelInputFilter }).run(agent, 'go', { stream: true });
}
