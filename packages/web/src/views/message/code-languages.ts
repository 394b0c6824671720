/**
 * What `@streamdown/code` takes from `shiki`: the languages that are shown in colours. All that shiki knows would be
 * 300 files and 12 MB; what is not here is shown without colours. `vite.config.ts` puts this file in the place of
 * `shiki`.
 */
import { createBundledHighlighter } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';

export const bundledLanguages = {
  c: () => import('@shikijs/langs/c'),
  css: () => import('@shikijs/langs/css'),
  diff: () => import('@shikijs/langs/diff'),
  docker: () => import('@shikijs/langs/docker'),
  go: () => import('@shikijs/langs/go'),
  html: () => import('@shikijs/langs/html'),
  ini: () => import('@shikijs/langs/ini'),
  java: () => import('@shikijs/langs/java'),
  javascript: () => import('@shikijs/langs/javascript'),
  json: () => import('@shikijs/langs/json'),
  jsx: () => import('@shikijs/langs/jsx'),
  kotlin: () => import('@shikijs/langs/kotlin'),
  make: () => import('@shikijs/langs/make'),
  python: () => import('@shikijs/langs/python'),
  rust: () => import('@shikijs/langs/rust'),
  shellscript: () => import('@shikijs/langs/shellscript'),
  sql: () => import('@shikijs/langs/sql'),
  swift: () => import('@shikijs/langs/swift'),
  toml: () => import('@shikijs/langs/toml'),
  tsx: () => import('@shikijs/langs/tsx'),
  typescript: () => import('@shikijs/langs/typescript'),
  xml: () => import('@shikijs/langs/xml'),
  yaml: () => import('@shikijs/langs/yaml'),
};

const aliases: Readonly<Partial<Record<keyof typeof bundledLanguages, readonly string[]>>> = {
  docker: ['dockerfile'],
  javascript: ['js', 'mjs', 'cjs'],
  json: ['jsonc', 'jsonl'],
  make: ['makefile'],
  python: ['py'],
  rust: ['rs'],
  shellscript: ['bash', 'console', 'sh', 'shell', 'zsh'],
  typescript: ['ts', 'mts', 'cts'],
  yaml: ['yml'],
};

export const bundledLanguagesInfo = Object.entries(bundledLanguages).map(([id, load]) => ({
  id,
  name: id,
  aliases: aliases[id as keyof typeof bundledLanguages] ?? [],
  import: load,
}));

export const createHighlighter = createBundledHighlighter({
  langs: bundledLanguages,
  themes: {
    'github-light-high-contrast': () => import('@shikijs/themes/github-light-high-contrast'),
    'github-dark-high-contrast': () => import('@shikijs/themes/github-dark-high-contrast'),
  },
  engine: () => createJavaScriptRegexEngine({ forgiving: true }),
});
