import { dirname } from 'node:path';
import { applyEnvironment, expandVariables, variablesNamedIn } from './environment/apply-environment.ts';
import { configSchema } from './schema/config.ts';
import { crossFaults } from './checks/cross-checks.ts';
import { describeIssue } from './checks/describe-issue.ts';
import { emptyMap, keyName, placeAt, plainValue } from './yaml/located.ts';
import { expectation, inOrder } from './yaml/config-fault.ts';
import { findWarnings, missingSecrets } from './checks/find-warnings.ts';
import { readYaml } from './yaml/read-yaml.ts';
import { storeAsSection } from './schema/store-section.ts';
import { resolveAliases } from './schema/aliases.ts';
import { resolveConfig } from './resolve-config.ts';
import { siftConfig } from './folder-trust.ts';
import type { z } from 'zod';
import type { Config, WrittenConfig } from './schema/config.ts';
import type { ConfigFault } from './yaml/config-fault.ts';
import type { CrossFault } from './checks/cross-checks.ts';
import type { Environment } from './environment/variables.ts';
import type { LocatedMap } from './yaml/located.ts';
import type { Want } from './folder-trust.ts';

export interface ConfigFile {
  /** Absolute. */
  readonly path: string;
  /** What faults call it by. @default the path */
  readonly name?: string;
  readonly text: string;
}

export interface ConfigInput {
  /** Without one only the environment counts. */
  readonly file?: ConfigFile | undefined;
  readonly environment: Environment;
  /** Absolute. */
  readonly workingFolder: string;
  /** `false`: only harmless keys of the file count. @default true */
  readonly isTrusted?: boolean;
}

export type ConfigResult = ConfigNotes &
  (
    | {
        readonly type: 'config';
        readonly config: Config;
        /** Keys of the file that count only when somebody trusts it. */
        readonly wants: readonly Want[];
      }
    /** All of them, in the order of the file. */
    | { readonly type: 'faults'; readonly faults: readonly ConfigFault[] }
  );

interface ConfigNotes {
  /** What is no fault and still worth a look. */
  readonly warnings: readonly ConfigFault[];
  /** Variables `THROUGHLINE_*` that set a key. */
  readonly variables: readonly string[];
}

/**
 * A configuration from a file's text and the environment, which goes before the file. Never throws: whatever is wrong
 * is a sentence with its line, its key, what was expected and what came.
 */
export function parseConfig({
  file,
  environment,
  workingFolder,
  isTrusted = true,
}: ConfigInput): ConfigResult {
  const read = file && readYaml({ name: file.name ?? file.path, text: file.text });
  const plain = resolveAliases(storeAsSection(read?.root ?? emptyMap()));
  const { harmless, wants } = siftConfig(plain.root);
  const expanded = expandVariables(isTrusted ? plain.root : harmless, environment);
  const {
    root,
    used: variables,
    warnings: unread,
  } = applyEnvironment(expanded.root, environment, variablesNamedIn(plain.root));
  const { data, error } = configSchema.safeParse(plainValue(root));
  const issues = error?.issues ?? [];
  const written = data ?? healed(root, issues);
  const faults = inOrder([
    ...(read?.faults ?? []),
    ...(read?.isUnreadable === true ? [] : [...plain.faults, ...expanded.faults]),
    ...issues.flatMap((issue) => describeIssue(root, issue)),
    ...(written ? crossFaultsOf(written, root, issues) : []),
  ]);
  const warnings = inOrder([...unread, ...(written ? findWarnings(written, root) : [])]);
  if (!data || faults.length > 0) return { type: 'faults', faults, warnings, variables };
  const fileFolder = file ? dirname(file.path) : workingFolder;
  const config = resolveConfig(data, root, { environment, workingFolder, fileFolder });
  const missing = missingSecrets(config, environment, root);
  return { type: 'config', config, wants, warnings: inOrder([...warnings, ...missing]), variables };
}

type Issues = readonly z.core.$ZodIssue[];

/** The configuration without what is wrong in it, so that faults between keys show at once with the others. */
function healed(root: LocatedMap, issues: Issues): WrittenConfig | undefined {
  const value = plainValue(root);
  for (const { path, ...issue } of issues) {
    if (issue.code === 'unrecognized_keys') issue.keys.forEach((key) => removeAt(value, [...path, key]));
    else removeAt(value, path);
  }
  return configSchema.safeParse(value).data;
}

function removeAt(root: unknown, path: readonly PropertyKey[]): void {
  const last = path.at(-1);
  const holder = path
    .slice(0, -1)
    .reduce<unknown>((value, key) => (isHolder(value) ? value[key] : undefined), root);
  if (last !== undefined && isHolder(holder)) Reflect.deleteProperty(holder, last);
}

function isHolder(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === 'object' && value !== null;
}

function crossFaultsOf(config: WrittenConfig, root: LocatedMap, issues: Issues): ConfigFault[] {
  const wrong = issues.map(({ path }) => keyName(path));
  const isExplained = (fault: CrossFault): boolean =>
    [fault.path, ...fault.with].some((path) =>
      wrong.some((key) => `${keyName(path)}.`.startsWith(`${key}.`)),
    );
  return crossFaults(config)
    .filter((fault) => !isExplained(fault))
    .map(({ path, ...told }) => expectation(placeAt(root, path), keyName(path), told));
}
