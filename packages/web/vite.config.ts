import { defineConfig } from 'vite';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import tailwindcss from '@tailwindcss/vite';

/** Where `npm run dev` finds a server: `throughline serve`, unless it is said. */
const { THROUGHLINE_SERVER: server = 'http://127.0.0.1:4100' } = process.env;

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: here('.'),
  // Wherever a proxy in front of the server puts the page.
  base: './',
  plugins: [react(), tailwindcss()],
  // The packages of this workspace are taken as people wrote them.
  resolve: {
    alias: [
      { find: /^shiki$/, replacement: here('src/views/message/code-languages.ts') },
      // Its version for browsers parses with the browser, whose policy then complains of styles that nobody applies.
      {
        find: /^hast-util-from-html-isomorphic$/,
        replacement: here('../../node_modules/hast-util-from-html-isomorphic/index.js'),
      },
    ],
    conditions: ['throughline-source', 'module', 'browser', 'production'],
  },
  build: {
    target: 'es2024',
    // A picture inside of the script or the style would need an exception in the policy of what the page may load.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
  },
  server: {
    proxy: Object.fromEntries(['/api', '/v1', '/proxy', '/health'].map((path) => [path, { target: server }])),
  },
});
