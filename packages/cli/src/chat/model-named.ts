import { usageFailure } from '../failure.ts';
import { parseModel, wrongModel } from './parse-model.ts';
import type { Cli } from '../cli.ts';
import type { ModelConfig } from '@throughline/config';

/**
 * The model a name stands for in a chat: the one of the configuration just as it is there, another one of its server,
 * or one of another provider.
 *
 * @throws {CommandFailure} for a name that stands for none, and where its key is missing.
 */
export function modelNamed(
  name: string,
  own: ModelConfig,
  cli: Pick<Cli, 'env' | 'workingFolder'>,
): ModelConfig {
  if (own.provider !== 'demo') {
    const prefix = `${own.provider}:`;
    if (name === own.name || name === prefix + own.name) return own;
    if (name.startsWith(prefix)) {
      const other = configured(name, parseModel(name, cli, own.baseUrl));
      // What was said of one model does not hold for another; what was said of the server does.
      return { ...own, name: other.name, windowTokens: undefined, maxOutputTokens: undefined };
    }
  }
  const parsed = parseModel(name, cli);
  const model = configured(name, parsed);
  const [missing] = parsed.warnings.filter(({ key }) => key === 'model.apiKeyEnv');
  if (missing) throw usageFailure(`${name} needs a key: ${missing.message}`);
  return model;
}

function configured(name: string, parsed: ReturnType<typeof parseModel>): ModelConfig {
  if (parsed.type === 'faults') throw wrongModel(name, parsed);
  return parsed.config.model;
}
