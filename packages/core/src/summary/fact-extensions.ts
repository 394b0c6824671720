const files =
  'ts tsx mts cts js jsx mjs cjs py pyi rb go rs java kt kts scala swift m mm c h cc cpp cxx hpp hh cs fs vb php ' +
  'pl pm lua r jl dart ex exs erl hs ml clj cljs groovy gradle zig nim sol vue svelte astro html htm xhtml css scss ' +
  'sass less json jsonl json5 jsonc yaml yml toml ini cfg conf env properties xml svg md mdx markdown rst adoc txt ' +
  'log csv tsv sql graphql gql proto prisma sh bash zsh fish ps1 bat cmd lock mod sum tf tfvars hcl nix dockerfile ' +
  'makefile cmake patch diff ipynb pdf png jpg jpeg gif webp ico bmp mp3 mp4 wav mov avi woff woff2 ttf otf zip tar ' +
  'gz tgz bz2 xz 7z rar jar war whl egg exe dll so dylib wasm bin dat db sqlite sqlite3 parquet pem key crt cer ' +
  'pub plist xcodeproj xib storyboard snap map dcm doc docx xls xlsx ppt pptx odt epub tex bib bak tmp out traj';
const hosts = 'com org net io dev app ai edu gov co uk de jp fr cn ru eu info cloud local';

/** What a dotted word is by its last segment, in lower case: `main.ts` is a file, `example.com` an address. */
export const extensionKinds: ReadonlyMap<string, 'file' | 'url'> = new Map<string, 'file' | 'url'>([
  ...hosts.split(' ').map((host): [string, 'url'] => [host, 'url']),
  ...files.split(' ').map((extension): [string, 'file'] => [extension, 'file']),
]);
