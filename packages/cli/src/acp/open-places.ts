import { demoNotice, openChatServices } from '../chat/open-chat-services.ts';
import { modelsOf } from '../serve/open-served-agent.ts';
import { readChatConfig } from '../chat/read-chat-config.ts';
import { resolve } from 'node:path';
import { shareOpened, shareStores } from './share-opened.ts';
import type { AcpPlace, AcpPlaces } from '@throughline/server';
import type { ChatRequest } from '../chat/read-chat-config.ts';
import type { Cli } from '../composition/cli.ts';
import type { McpServerConfig } from '@throughline/agent';
import type { Notice } from '../chat/state/notices.ts';
import type { RequiredConfig } from '../config/require-config.ts';

interface OpenedPlaces extends AcpPlaces, AsyncDisposable {}

type Servers = Readonly<Record<string, McpServerConfig>>;

/**
 * Agents for an editor: one for each folder and set of MCP servers, by the configuration that holds in the folder. They
 * share their stores. Nobody is at a terminal: what a folder wants and is not trusted with is refused.
 */
export async function openPlaces(request: ChatRequest, cli: Cli): Promise<OpenedPlaces> {
  const composition = await cli.compose();
  const stores = shareStores((config) => composition.openStoreFrom(config));
  const shared = { ...composition, openStoreFrom: stores.open };
  const inFolder = (folder: string): Cli => ({
    ...cli,
    workingFolder: folder,
    terminal: undefined,
    compose: () => Promise.resolve(shared),
  });
  const file = request.config === undefined ? {} : { config: resolve(cli.workingFolder, request.config) };
  const configOf = (folder: string): Promise<RequiredConfig> =>
    readChatConfig({ ...request, ...file, workspace: folder, json: true }, inFolder(folder));
  const places = shareOpened(async ({ folder, servers }: { folder: string; servers: Servers }) =>
    openPlace(request, withServers(await configOf(folder), folder, servers), inFolder(folder)),
  );
  return {
    async open(folder, servers) {
      const { value, giveBack } = await places.take({ folder, servers });
      return { ...value, [Symbol.asyncDispose]: giveBack };
    },
    async storeOf(folder = cli.workingFolder) {
      return await stores.open((await configOf(folder)).config.store);
    },
    async [Symbol.asyncDispose]() {
      await places[Symbol.asyncDispose]();
      await stores[Symbol.asyncDispose]();
    },
  };
}

async function openPlace(request: ChatRequest, required: RequiredConfig, cli: Cli): Promise<AcpPlace> {
  const services = await openChatServices(request, required, cli, { titles: 'code' });
  const models = modelsOf(required.config, services.driverNamed);
  const notices = services.notices.map((one) => (one === demoNotice ? demoInEditor : one));
  return {
    agent: services.agent,
    models: {
      names: models.names.map((name) => (name === 'demo' ? demoName : name)),
      driverNamed: (name) => models.driverNamed(name === demoName ? 'demo' : name),
    },
    folder: services.folder,
    notices: notices.map(({ tone, text }) => ({
      severity: tone === 'warning' || tone === 'bad' ? 'warning' : 'info',
      text,
    })),
    [Symbol.asyncDispose]: () => services[Symbol.asyncDispose](),
  };
}

/** As its driver calls itself. */
const demoName = 'demo:scripted';

const demoInEditor: Notice = {
  tone: 'warning',
  text:
    'This is the demo model: it follows a script, and the tools it calls are real. Say “help” to see what it ' +
    'understands. For a real one give the command another argument in the settings of the editor, such as ' +
    '--model anthropic:claude-sonnet-5, and the key (ANTHROPIC_API_KEY) in its environment.',
};

/** Programs of the editor, and those of the configuration, are started in the folder unless something else is said. */
function withServers({ config, file }: RequiredConfig, folder: string, servers: Servers): RequiredConfig {
  const all = Object.entries({ ...config.mcpServers, ...servers }).map(
    ([name, server]) => [name, 'command' in server ? { cwd: folder, ...server } : server] as const,
  );
  return { config: { ...config, mcpServers: Object.fromEntries(all) }, file };
}
