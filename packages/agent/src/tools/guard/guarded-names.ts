/**
 * Names of what programs outside the sandbox run, or take programs from, as soon as somebody opens the folder, enters it
 * or uses git in it: a command that could write there would get out. Compared in lower case: some file systems do so.
 */
const names: ReadonlySet<string> = new Set(
  `
  throughline.yaml throughline.yml .throughline
  .git .gitconfig .githooks .husky .lefthook .lefthook.yml .lefthook.yaml lefthook.yml lefthook.yaml lefthook-local.yml
  .pre-commit-config.yaml .pre-commit-hooks.yaml .overcommit.yml .hg .hgrc .svn .bzr .jj .sl
  .vscode .vscode-server .idea .fleet .zed .vs .theia .devcontainer .devcontainer.json .gitpod.yml .nvim .nvim.lua
  .nvimrc .exrc .vim .vimrc .gvimrc .lvimrc .local.vimrc .emacs .emacs.d .dir-locals.el .dir-locals-2.el .sublime
  .envrc .direnv .autoenv .autoenv.zsh .mise.toml .mise.local.toml mise.toml mise.local.toml .mise .rtx.toml
  .tool-versions .asdfrc .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile
  .zlogin .zlogout .kshrc .cshrc .tcshrc .login .logout .inputrc .xinitrc .xprofile .xsession .xsessionrc
  .pam_environment .gdbinit .lldbinit .irbrc .pryrc .rprofile .renviron .pythonrc .pythonrc.py .tmux.conf .screenrc
  .curlrc .wgetrc .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .pnpmfile.mjs bunfig.toml
  .mcp.json mcp.json .claude .claude.json .codex .opencode opencode.json opencode.jsonc .gemini .qwen .cursor
  .cursorrules .windsurf .cline .clinerules .roo .roomodes .kilocode .continue .aider.conf.yml .amp .goose .kiro
  .augment .factory .junie .trae .agent .agents .pi
`
    .trim()
    .split(/\s+/),
);

const endings = /\.(code-workspace|sublime-project)$/;

/** Whether what has this name, in whatever folder, is guarded. */
export function isGuardedName(name: string): boolean {
  const plain = name.normalize('NFC').toLowerCase();
  // A folder with a `HEAD` is a repository to git, also without a `.git`.
  return name === 'HEAD' || names.has(plain) || endings.test(plain);
}

export const isGitFolder = (name: string): boolean => name.toLowerCase() === '.git';

/** In a `.git`: where it takes programs and further configuration from. All else in it changes with every commit. */
export const guardedInGit: readonly string[] = [
  'config',
  'config.worktree',
  'hooks',
  'commondir',
  'modules',
  'worktrees',
];

/** Directly in the home folder: all start-up files, but what is written all the time. */
export function isGuardedAtHome(name: string): boolean {
  return (name.startsWith('.') && !changingAtHome.has(name)) || name === 'bin';
}

const changingAtHome: ReadonlySet<string> = new Set(['.', '..', '.cache', '.npm']);

/** Names of files that usually hold keys and passwords of a project; `*` stands for anything. */
export const defaultPrivateFiles: readonly string[] = ['.env', '.env.*'];

/** Made to be shown: what has to stand in the file beside it, without what is secret. */
const specimen = /[.\-_](example|sample|template|dist)$/i;

/** Whether a file of this name is read only after somebody was asked. Case is ignored, as some file systems do. */
export function isPrivateName(name: string, patterns: readonly string[]): boolean {
  const plain = name.normalize('NFC').toLowerCase();
  return !specimen.test(plain) && patterns.some((pattern) => fits(plain, pattern.toLowerCase()));
}

function fits(name: string, pattern: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[\\^$.|?+()[\]{}]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(name);
}

/** `path` is `folder` or lies below it; both absolute and real. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}
