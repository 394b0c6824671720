import type { AgentEvent, AgentEvents, AgentEventType } from '@throughline/agent';

/** Something a person should know beside the answer. */
export interface AcpNotice {
  readonly severity: 'info' | 'warning' | 'error';
  readonly title: string;
  readonly description?: string;
}

type Rows = {
  readonly [Type in AgentEventType]?: (data: AgentEvents[Type]) => AcpNotice | undefined;
};

const rows: Rows = {
  // What ends the run is the answer to the prompt.
  'llm:error': ({ error, context, recoverable }) =>
    recoverable
      ? {
          severity: 'info',
          title: context === 'summary' ? 'The summary could not be written' : 'The model failed',
          description: error.message,
        }
      : undefined,
  'llm:retry': ({ attempt, reason }) => ({
    severity: 'info',
    title: `The model is asked again (try ${attempt})`,
    description: reason.message,
  }),
  'llm:unsupported-input': ({ errors, model, fileType }) => ({
    severity: 'warning',
    title: `${model} does not take ${fileType}`,
    description: errors.join(' '),
  }),
  'context:warning': ({ message }) => ({ severity: 'info', title: 'Context', description: message }),
  'compaction:undone': ({ tokensAfter }) => ({
    severity: 'info',
    title: `The last compaction is taken back: ${Math.round(tokensAfter)} tokens`,
  }),
  'compaction:redone': ({ tokensAfter }) => ({
    severity: 'info',
    title: `The compaction is made again: ${Math.round(tokensAfter)} tokens`,
  }),
};

/** What is worth a word beside the answer. */
export function noticeOf(event: AgentEvent): AcpNotice | undefined {
  return lookUp(event.type, event);
}

function lookUp<Type extends AgentEventType>(type: Type, event: AgentEvent): AcpNotice | undefined {
  // The event is of the type that its row is looked up by.
  return rows[type]?.(event.data as AgentEvents[Type]);
}
