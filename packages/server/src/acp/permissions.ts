import { describeCall } from './tool-calls.ts';
import type {
  PermissionOption,
  RequestPermissionOutcome,
  RequestPermissionRequest,
} from '@agentclientprotocol/sdk';
import type { ApprovalAnswer, ApprovalRequest } from '@throughline/agent';

const answers: Readonly<Record<string, ApprovalAnswer>> = {
  'allow-once': { type: 'allow', scope: 'once' },
  'allow-session': { type: 'allow', scope: 'session' },
  'allow-always': { type: 'allow', scope: 'always' },
  deny: { type: 'deny' },
};

/** The question of an approval, as an editor asks it. */
export function permissionOf(
  request: ApprovalRequest,
  {
    sessionId,
    toolCallId,
    folder,
  }: { readonly sessionId: string; readonly toolCallId: string; readonly folder: string },
): RequestPermissionRequest {
  const { toolName, input: args, warning } = request;
  const { diffs, ...described } = describeCall({ toolName, args }, folder);
  const warned =
    warning === '' ? [] : [{ type: 'content', content: { type: 'text', text: warning } } as const];
  const content = [...diffs, ...warned];
  return {
    sessionId,
    toolCall: {
      toolCallId,
      name: toolName,
      status: 'pending',
      rawInput: args,
      ...described,
      ...(content.length > 0 && { content }),
    },
    options: optionsOf(request),
  };
}

function optionsOf({ toolName, grant }: ApprovalRequest): PermissionOption[] {
  const covered = grant.key === undefined ? toolName : `${toolName}: ${short(grant.key)}`;
  return [
    { optionId: 'allow-once', kind: 'allow_once', name: 'Allow once' },
    { optionId: 'allow-session', kind: 'allow_always', name: `Allow in this session (${covered})` },
    { optionId: 'allow-always', kind: 'allow_always', name: `Always allow (${covered})` },
    { optionId: 'deny', kind: 'reject_once', name: 'Deny' },
  ];
}

function short(text: string): string {
  const [line = ''] = text.trim().split(/\r|\n/, 1);
  return line.length <= 60 && line.length === text.trim().length
    ? line
    : `${line.slice(0, 59).toWellFormed()}…`;
}

/** What the user has chosen. An option that was not offered is a no. */
export function answerOf(outcome: RequestPermissionOutcome): ApprovalAnswer {
  if (outcome.outcome === 'cancelled') return { type: 'deny', reason: 'the run was cancelled' };
  const { optionId } = outcome;
  const answer = Object.hasOwn(answers, optionId) ? answers[optionId] : undefined;
  return answer ?? { type: 'deny', reason: 'the editor answered with an option that was not offered' };
}
