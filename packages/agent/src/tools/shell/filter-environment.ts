const secretInUrl = /:\/\/[^\s/@]*:[^\s/@]+@/;

/** Variables that say where and in which language one works, and where tools are. */
const known: ReadonlySet<string> = new Set(
  `
  PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TMPDIR TMP TEMP PWD HOSTNAME
  XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME XDG_STATE_HOME
  NODE_ENV NVM_DIR NVM_BIN VOLTA_HOME FNM_DIR PNPM_HOME BUN_INSTALL DENO_DIR COREPACK_HOME
  VIRTUAL_ENV CONDA_PREFIX CONDA_DEFAULT_ENV PYENV_ROOT PYTHONPATH PYTHONUNBUFFERED PIPX_HOME UV_CACHE_DIR
  CARGO_HOME RUSTUP_HOME RUSTUP_TOOLCHAIN GOPATH GOROOT GOCACHE GOMODCACHE GOFLAGS JAVA_HOME ANDROID_HOME GRADLE_USER_HOME
  MAVEN_HOME M2_HOME RBENV_ROOT GEM_HOME GEM_PATH ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR SDKMAN_DIR HOMEBREW_PREFIX
  DOTNET_ROOT MANPATH INFOPATH LD_LIBRARY_PATH PKG_CONFIG_PATH CC CXX NIX_PATH NIX_SSL_CERT_FILE SSL_CERT_FILE SSL_CERT_DIR
  SOURCE_DATE_EPOCH CI NO_COLOR FORCE_COLOR
  `
    .trim()
    .split(/\s+/),
);

/** Shells run commands from these before the one they were given. */
const startFiles: ReadonlySet<string> = new Set(['BASH_ENV', 'ENV']);

/** What commands get instead of what a person at a terminal has: no pager and no question waits for a key. */
const fixed = {
  TERM: 'dumb',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
};

/**
 * The environment of a command: known variables (`PATH`, `HOME`, `LC_*` …) whose value is no URL with a password, and
 * those whose names are `allowed`. No list of what looks like a secret is ever complete.
 */
export function filterEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  allowed: readonly string[] = [],
): Record<string, string> {
  const kept = Object.entries(environment).flatMap(([name, value]) => {
    if (value === undefined || startFiles.has(name)) return [];
    const isKnown = (known.has(name) || /^LC_[A-Z]+$/.test(name)) && !secretInUrl.test(value);
    return isKnown || allowed.includes(name) ? [[name, value] as const] : [];
  });
  return { ...Object.fromEntries(kept), ...fixed };
}
