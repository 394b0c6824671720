import { findShapeFaults } from '../../judge/judge-shape.ts';
import { isObject, textOf, type WireObject } from '../../judge/wire-value.ts';
import { findWireFaults } from '../../independent-validator.ts';
import { objectsOf } from '../dialects/dialect.ts';
import { isCountOrMissing, repeatedIn, type Rule, type Rules } from './rule.ts';

const modelIsMissing: Rule = ({ model }) =>
  typeof model === 'string' && model !== ''
    ? undefined
    : { message: 'you must provide a model parameter', param: 'model' };

function countRule(field: string): Rule {
  return ({ [field]: limit }) =>
    isCountOrMissing(limit)
      ? undefined
      : {
          message: `Invalid '${field}': integer below minimum value. Expected a value >= 1, but got ${String(limit)} instead.`,
          param: field,
        };
}

function listRule(list: 'messages' | 'input', find: (items: readonly unknown[]) => readonly string[]): Rule {
  return ({ [list]: items }) => {
    const faults = Array.isArray(items) ? find(items as unknown[]) : [];
    return faults.length === 0 ? undefined : { message: faults.join('; '), param: list };
  };
}

/** What `POST /v1/chat/completions` refuses. */
export const chatRules: Rules = {
  'model is missing': modelIsMissing,
  'no messages': ({ messages }) =>
    objectsOf(messages).length > 0
      ? undefined
      : {
          message:
            "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
          param: 'messages',
        },
  'max_tokens is no count': countRule('max_tokens'),
  'max_completion_tokens is no count': countRule('max_completion_tokens'),
  'the order of messages': listRule('messages', (list) => findWireFaults('openai-chat', list)),
  'the shape of a message': listRule('messages', (list) => findShapeFaults('openai-chat', list)),
  'an empty list of tools': ({ tools }) =>
    Array.isArray(tools) && tools.length === 0
      ? {
          message:
            "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.",
          param: 'tools',
        }
      : undefined,
  'a tool without a name': ({ tools }) => {
    const at = objectsOf(tools).findIndex(
      ({ type, function: named }) => type === 'function' && !(isObject(named) && isToolName(named['name'])),
    );
    return at === -1
      ? undefined
      : { message: `Invalid 'tools[${at}].function.name'`, param: `tools[${at}].function.name` };
  },
  'a choice without tools': ({ tools, tool_choice: choice }) =>
    choice !== undefined && tools === undefined
      ? {
          message:
            "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
          param: 'tool_choice',
        }
      : undefined,
  'stream options without a stream': ({ stream, stream_options: options }) =>
    isObject(options) && stream !== true
      ? {
          message: "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
          param: 'stream_options',
        }
      : undefined,
};

const itemTypes =
  /^(message|reasoning|item_reference|compaction|[a-z_]+_call(_output)?|tool_search_output|mcp_[a-z_]+|program|program_output|additional_tools)$/;

/** What `POST /v1/responses` refuses. */
export const responseRules: Rules = {
  'model is missing': modelIsMissing,
  'no input': ({ input }) =>
    input === undefined || input === '' || (Array.isArray(input) && input.length === 0)
      ? { message: "Missing required parameter: 'input'.", param: 'input' }
      : undefined,
  'a response that is not known': ({ previous_response_id: id }) =>
    typeof id === 'string'
      ? { message: `Previous response with id '${id}' not found.`, param: 'previous_response_id' }
      : undefined,
  'max_output_tokens is no count': countRule('max_output_tokens'),
  'an unknown type of item': ({ input }) => {
    const at = objectsOf(input).findIndex(({ type }) => type !== undefined && !itemTypes.test(textOf(type)));
    return at === -1
      ? undefined
      : {
          message: `Invalid value: '${String(objectsOf(input)[at]?.['type'])}'. Supported values are: 'message', 'function_call', 'function_call_output', 'reasoning' and others.`,
          param: `input[${at}].type`,
        };
  },
  'the order of items': listRule('input', (list) => findWireFaults('openai-responses', list)),
  'the shape of an item': listRule('input', (list) => findShapeFaults('openai-responses', list)),
  'an item twice': ({ input }) => {
    const ids = objectsOf(input).flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
    const twice = repeatedIn(ids);
    return twice === undefined
      ? undefined
      : {
          message: `Duplicate item found with id ${twice}. Remove duplicate items from your input and try again.`,
          param: 'input',
        };
  },
  'an item without its reasoning': ({ input }, { reasoningOfItem }) => {
    const items = objectsOf(input);
    const ids = new Set(items.map(({ id }) => id));
    const alone = items.find(({ id }) => {
      const reasoning = reasoningOfItem.get(String(id));
      return reasoning !== undefined && !ids.has(reasoning);
    });
    return alone && itemAlone(alone, reasoningOfItem);
  },
};

function itemAlone(
  { id, type }: WireObject,
  reasoningOfItem: ReadonlyMap<string, string>,
): { message: string } {
  return {
    message: `Item '${String(id)}' of type '${String(type)}' was provided without its required 'reasoning' item: '${reasoningOfItem.get(String(id))}'.`,
  };
}

function isToolName(name: unknown): boolean {
  return typeof name === 'string' && /^[a-zA-Z0-9_-]{1,64}$/.test(name);
}
