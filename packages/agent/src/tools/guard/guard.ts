import { existsSync, realpathSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { basename, delimiter, dirname, isAbsolute, join, relative } from 'node:path';
import { defaultPrivateFiles, isGuardedAtHome, isGuardedName, isInside } from './guarded-names.ts';

/** What tools keep their hands off, in the workspace and around it. All paths are real. */
export interface Guard {
  readonly root: string;
  /** Neither read nor written. */
  readonly secrets: readonly string[];
  /** Guarded like the known names, because somebody outside runs or obeys them. */
  readonly guarded: readonly string[];
  readonly home: string;
  /** Patterns of names: such a file is read by file tools only after somebody was asked. */
  readonly privateFiles: readonly string[];
}

/** What tools keep their hands off beside what is known by name. */
export interface GuardOptions {
  /** Kept out of sight beside the known places of credentials. @default none */
  readonly secrets?: readonly string[];
  /**
   * Names of files that file tools read only after somebody was asked; `*` stands for anything. Commands read them all the
   * same: programs of the project need them. @default ['.env', '.env.*']
   */
  readonly privateFiles?: readonly string[];
  /** Files in the workspace that are run or obeyed outside the sandbox, beside those known by name. @default none */
  readonly guarded?: readonly string[];
}

/** The guard of a workspace by its real path. A secret that the workspace lies in, or is, does not hide the workspace. */
export function createGuard(root: string, options: GuardOptions = {}): Guard {
  const { secrets = [], guarded = [], privateFiles = defaultPrivateFiles } = options;
  const home = homeOf();
  // Below `/proc` are the secrets of all processes.
  const named = root === '/' ? [...secrets, '/proc'] : secrets;
  return {
    root,
    secrets: [...new Set([...secretPlaces(), ...named.map(placeOf)])],
    guarded: realPlaces(guarded).filter((path) => path !== root && isInside(path, root)),
    privateFiles,
    home: existsSync(home) ? realpathSync(home) : home,
  };
}

/** The secret that a real path in the workspace is, or lies in. */
export function secretAround({ root, secrets }: Guard, path: string): string | undefined {
  return secrets.find((secret) => isInside(lower(path), lower(secret)) && !isInside(root, secret));
}

/** The path below the workspace for which writing to a real path is a question of its own. */
export function guardedAround({ root, guarded, home }: Guard, path: string): string | undefined {
  const own = guarded.find((one) => isInside(path, one));
  if (own !== undefined) return relative(root, own);
  const names = relative(root, path).split('/');
  const isStart = (name: string, at: number): boolean =>
    isGuardedName(name) || (isAt(home, [root, ...names.slice(0, at)].join('/')) && isGuardedAtHome(name));
  const at = names.findIndex(isStart);
  return at === -1 ? undefined : names.slice(0, at + 1).join('/');
}

/** Some file systems know no case. */
export const lower = (path: string): string => path.toLowerCase();

function isAt(home: string, folder: string): boolean {
  return folder.replace(/\/$/, '') === home;
}

/** The folders between the workspace and a path in it, outermost first. */
export function foldersTo(path: string, root: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = dirname(path); folder !== root && isInside(folder, root); folder = dirname(folder))
    folders.unshift(folder);
  return folders;
}

/**
 * The real paths of what holds credentials on this machine, as far as it is there: those of the usual tools and agents,
 * what variables name instead, and the folders of Throughline itself.
 */
function secretPlaces(): readonly string[] {
  const homes = [...new Set([homeOf(), passwdHome()])].filter((home) => isAbsolute(home) && home !== '/');
  const found = [
    ...homes.flatMap((home) => inHome.map((path) => join(home, path))),
    ...homes.flatMap(moved),
    ...ofSystem,
    ...named(),
  ];
  return realPlaces(found).filter(
    // A variable may name anything; the whole home folder is no secret.
    (path) => !homes.some((home) => isInside(home, path)),
  );
}

/** The real paths of what is there, each once. */
function realPlaces(paths: readonly string[]): readonly string[] {
  return [...new Set(paths.filter((path) => existsSync(path)).map((path) => realpathSync(path)))];
}

/** The real path of what is there, or will be. */
function placeOf(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const above = dirname(path);
  return above === path ? path : join(placeOf(above), basename(path));
}

const lines = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Below the home folder. */
const inHome = lines(`
  .ssh .gnupg .password-store .pki .putty .step .tsh .vault-token .netrc _netrc .authinfo .authinfo.gpg
  .local/share/keyrings .local/share/kwalletd Library/Keychains .config/op .config/Bitwarden .config/sops .config/age
  .Xauthority .ICEauthority .dbus
  .throughline .config/throughline .local/share/throughline .local/state/throughline
  .claude .claude.json .config/claude .config/Claude .anthropic .codex .config/codex
  .local/share/opencode .config/opencode .opencode .gemini .qwen .config/github-copilot .copilot .cursor .config/Cursor
  .continue .aider.conf.yml .config/goose .local/share/goose .cline .roo .config/amp .local/share/amp .factory .pi
  .windsurf .codeium .kiro .augment .openai .config/openai .config/zed .config/io.datasette.llm
  .aws .azure .kube .docker .oci .config/gcloud .config/doctl .config/hcloud .config/linode-cli .config/scw .boto
  .s3cfg .mc .config/rclone .config/helm .config/containers .config/argocd .argocd .minikube .rd .colima .lima .orbstack
  .terraform.d .terraformrc .pulumi .fly .railway .supabase .config/heroku .config/netlify .netlify .config/vercel
  .local/share/com.vercel.cli .vercel .wrangler .config/.wrangler .config/stripe .config/firebase .config/configstore
  .config/ngrok .ngrok2 .databrickscfg .snowflake .snowsql .bluemix .config/confluent
  .config/gh .config/glab-cli .config/hub .git-credentials .config/git/credentials .circleci .config/tea
  .npmrc .yarnrc .yarnrc.yml .config/yarn .pypirc .config/pip .pip .config/pypoetry .gem/credentials .bundle/config
  .local/share/gem/credentials .composer/auth.json .config/composer/auth.json .m2/settings.xml .m2/settings-security.xml
  .gradle/gradle.properties .nuget .config/NuGet .ivy2/.credentials .sbt/.credentials .cargo/credentials
  .cargo/credentials.toml .hex .kaggle .config/kaggle .cache/huggingface/token .cache/huggingface/stored_tokens
  .huggingface .subversion/auth .condarc .jupyter
  .pgpass .my.cnf .mylogin.cnf .config/mongodb .smbcredentials .msmtprc .fetchmailrc .lftprc .config/filezilla
  .bitcoin .ethereum .electrum .config/solana .mozilla .thunderbird .config/google-chrome .config/chromium
  .config/BraveSoftware .config/microsoft-edge .config/Signal .config/Slack .config/discord
  .bash_history .zsh_history .histfile .local/share/fish .python_history .node_repl_history .psql_history
  .mysql_history .sqlite_history .rediscli_history .lesshst .viminfo
`);

/** Readable for root, and so for what root starts. */
const ofSystem = lines(`
  /etc/shadow /etc/shadow- /etc/gshadow /etc/gshadow- /etc/sudoers /etc/sudoers.d /etc/ssl/private /etc/krb5.keytab
  /etc/kubernetes /etc/rancher /etc/wireguard /etc/NetworkManager/system-connections /etc/letsencrypt /etc/docker
  /etc/ssh/ssh_host_rsa_key /etc/ssh/ssh_host_ecdsa_key /etc/ssh/ssh_host_ed25519_key /etc/ssh/ssh_host_dsa_key
  /var/lib/docker /var/lib/containerd /var/lib/kubelet /var/lib/rancher /var/lib/lxd/unix.socket
  /var/lib/incus/unix.socket /var/snap/lxd/common/lxd/unix.socket /var/spool/cron
`);

/** Variables that name a place of credentials. */
const naming = lines(`
  CLAUDE_CONFIG_DIR CODEX_HOME OPENCODE_CONFIG GEMINI_CONFIG_DIR AWS_SHARED_CREDENTIALS_FILE AWS_CONFIG_FILE
  AWS_WEB_IDENTITY_TOKEN_FILE KUBECONFIG DOCKER_CONFIG DOCKER_CERT_PATH GNUPGHOME GOOGLE_APPLICATION_CREDENTIALS
  CLOUDSDK_CONFIG AZURE_CONFIG_DIR AZURE_FEDERATED_TOKEN_FILE NPM_CONFIG_USERCONFIG npm_config_userconfig GH_CONFIG_DIR
  NETRC PGPASSFILE PASSWORD_STORE_DIR SSH_AUTH_SOCK XAUTHORITY XDG_RUNTIME_DIR HISTFILE PIP_CONFIG_FILE RCLONE_CONFIG
  SOPS_AGE_KEY_FILE HF_TOKEN_PATH VAULT_TOKEN_PATH PULUMI_HOME TF_CLI_CONFIG_FILE
`);

function named(): readonly string[] {
  const places = naming.flatMap((name) => (process.env[name] ?? '').split(delimiter));
  const { CARGO_HOME: cargo, HF_HOME: huggingFace } = process.env;
  return [
    ...places,
    ...(cargo === undefined ? [] : [join(cargo, 'credentials'), join(cargo, 'credentials.toml')]),
    ...(huggingFace === undefined ? [] : [join(huggingFace, 'token'), join(huggingFace, 'stored_tokens')]),
  ].filter((path) => isAbsolute(path));
}

/** The same places where XDG variables have moved `~/.config` and `~/.local/share`. */
function moved(home: string): readonly string[] {
  const bases = { XDG_CONFIG_HOME: '.config', XDG_DATA_HOME: '.local/share', XDG_STATE_HOME: '.local/state' };
  return Object.entries(bases).flatMap(([variable, below]) => {
    const base = process.env[variable] ?? '';
    if (!isAbsolute(base)) return [];
    const usual = join(home, below);
    const places = inHome.map((path) => join(home, path)).filter((path) => isInside(path, usual));
    return places.map((path) => join(base, relative(usual, path)));
  });
}

/** As programs see it; a test or `sudo` may say another one than the system. */
function homeOf(): string {
  const { HOME } = process.env;
  return HOME === undefined || HOME === '' ? homedir() : HOME;
}

function passwdHome(): string {
  try {
    return userInfo().homedir;
  } catch {
    return ''; // a user without an entry, as in containers
  }
}
