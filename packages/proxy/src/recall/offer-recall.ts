import { isObject } from '@throughline/core/codec';
import { isRecallTool, recallTools } from '../wire/recall-tool.ts';
import { jsonMemberSpan, listOf, splitJsonArray } from '@throughline/core/internal';
import { splice, withMembers } from '../wire/edit-members.ts';
import type { Asking } from '../manage/asking.ts';
import type { ClientRequest } from '../wire/client-request.ts';

/** The request with the recall tool behind its own, where its route says so and its answer can be gone on with. */
export function offeringRecall(request: ClientRequest, { route, clientCompaction }: Asking): ClientRequest {
  // OpenAI refuses a thought whose call it does not get back, and goes on with answers by their ids.
  const isOpenAis = request.dialect.name === 'responses' && route.compaction === 'upstream';
  const isWanted = route.recall === true && clientCompaction === undefined && !isOpenAis;
  return isWanted && mayOffer(request) ? withRecallTool(request) : request;
}

function mayOffer({ dialect, body }: ClientRequest): boolean {
  const { tools, functions, tool_choice: choice } = body;
  const isList = tools === undefined || tools === null || Array.isArray(tools);
  return (
    isList &&
    !listOf(tools).some(isRecallTool) &&
    listOf(functions).length === 0 &&
    isFree(choice) &&
    dialect.canContinue(body) &&
    dialect.unmanaged(body) === undefined
  );
}

/** Whether the model may call a tool or none: who demands a call, or forbids it, means the client's own tools. */
function isFree(choice: unknown): boolean {
  const type = isObject(choice) ? choice['type'] : choice;
  return type === undefined || type === null || type === 'auto';
}

function withRecallTool(request: ClientRequest): ClientRequest {
  const { text, body, dialect, spans } = request;
  const tool = recallTools[dialect.name];
  const offered = textWith(text, tool);
  const tools = [...listOf(body['tools']), tool];
  return {
    ...request,
    text: offered.text,
    body: { ...body, tools },
    offersRecall: true,
    ...(spans && {
      spans: spans.map((span) =>
        span.start < offered.at ? span : { start: span.start + offered.by, end: span.end + offered.by },
      ),
    }),
  };
}

interface Offered {
  readonly text: string;
  /** What stood behind here stands so many characters further back. */
  readonly at: number;
  readonly by: number;
}

/** The client's own tools, and everything else, keep their characters. */
function textWith(text: string, tool: object): Offered {
  const last = splitJsonArray(text, ['tools'])?.items.at(-1);
  const span = jsonMemberSpan(text, 'tools');
  const at = last?.end ?? span?.end ?? 0;
  const offered = last
    ? splice(text, [{ start: at, end: at, text: `,${JSON.stringify(tool)}` }])
    : span
      ? splice(text, [{ ...span, text: JSON.stringify([tool]) }])
      : withMembers(text, { tools: [tool] });
  return { text: offered, at, by: offered.length - text.length };
}
