const files =
  'ts tsx mts cts js jsx mjs cjs py pyi rb go rs java kt kts scala swift m mm c h cc cpp cxx hpp hh cs fs vb php ' +
  'pl pm lua r jl dart ex exs erl hs ml clj cljs groovy gradle zig nim sol vue svelte astro html htm xhtml css scss ' +
  'sass less json jsonl json5 jsonc yaml yml toml ini cfg conf env properties xml svg md mdx markdown rst adoc txt ' +
  'log csv tsv sql graphql gql proto prisma sh bash zsh fish ps1 bat cmd lock mod sum tf tfvars hcl nix dockerfile ' +
  'makefile cmake patch diff ipynb pdf png jpg jpeg gif webp ico bmp mp3 mp4 wav mov avi woff woff2 ttf otf zip tar ' +
  'gz tgz bz2 xz 7z rar jar war whl egg exe dll so dylib wasm bin dat db sqlite sqlite3 parquet pem key crt cer ' +
  'pub plist xcodeproj xib storyboard snap map dcm doc docx xls xlsx ppt pptx odt epub tex bib bak tmp out traj';
const hosts = 'com org net io dev app ai edu gov co uk de jp fr cn ru eu info cloud local';

interface Extension {
  readonly text: string;
  readonly kind: 'file' | 'url';
}

const longest = 10;

// Asked for at every dotted word: a number as the key saves cutting a text out for each.
const extensions = new Map<number, Extension>();
for (const text of hosts.split(' ')) add({ text, kind: 'url' });
for (const text of files.split(' ')) add({ text, kind: 'file' });

function add(extension: Extension): void {
  extensions.set(keyOf(extension.text, 0, extension.text.length), extension);
}

/** What a dotted word is by its last segment, in any case: `main.ts` is a file, `example.com` an address. */
export function extensionKind(text: string, start: number, end: number): 'file' | 'url' | undefined {
  if (end - start > longest) return undefined;
  const found = extensions.get(keyOf(text, start, end));
  return found !== undefined && stands(found.text, text, start, end) ? found.kind : undefined;
}

/** Of letters and digits in lower case. */
function keyOf(text: string, start: number, end: number): number {
  let key = 0;
  for (let index = start; index < end; index++) key = Math.imul(key, 31) + lowerCode(text, index);
  return key | 0;
}

function stands(extension: string, text: string, start: number, end: number): boolean {
  if (extension.length !== end - start) return false;
  for (let index = start; index < end; index++) {
    if (lowerCode(text, index) !== extension.charCodeAt(index - start)) return false;
  }
  return true;
}

/** Letters and digits in lower case; what is neither stays none of them. */
function lowerCode(text: string, index: number): number {
  return text.charCodeAt(index) | 32;
}
