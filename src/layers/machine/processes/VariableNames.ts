/**
 * Which variables of heddle's environment commands get: those that programs need to work as they do in the user's
 * terminal, and no secrets. A list of allowed names, because no list has all names of secrets.
 */

const basics = `
  PATH HOME USER LOGNAME SHELL HOSTNAME LANG LANGUAGE TZ TMPDIR TMP TEMP CI
  DISPLAY WAYLAND_DISPLAY DBUS_SESSION_BUS_ADDRESS SSH_AUTH_SOCK GNUPGHOME
  SYSTEMROOT COMSPEC PATHEXT WINDIR USERPROFILE HOMEDRIVE HOMEPATH APPDATA LOCALAPPDATA`

const network = `
  HTTP_PROXY HTTPS_PROXY FTP_PROXY ALL_PROXY NO_PROXY
  SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE CURL_CA_BUNDLE GIT_SSL_CAINFO NIX_SSL_CERT_FILE`

/** Locations and flags of compilers and language tools; builds fail without them. */
const toolchains = `
  CC CXX CPP LD AR CFLAGS CXXFLAGS CPPFLAGS LDFLAGS MAKEFLAGS CPATH LD_LIBRARY_PATH LIBRARY_PATH PKG_CONFIG_PATH
  CMAKE_PREFIX_PATH MANPATH INFOPATH
  NVM_DIR NVM_BIN FNM_DIR VOLTA_HOME PNPM_HOME COREPACK_HOME BUN_INSTALL DENO_DIR NODE_PATH NODE_OPTIONS
  VIRTUAL_ENV CONDA_PREFIX CONDA_DEFAULT_ENV CONDA_EXE PYENV_ROOT PYENV_VERSION PYTHONPATH PYTHONHOME POETRY_HOME
  PIPX_HOME UV_CACHE_DIR CARGO_HOME CARGO_TARGET_DIR RUSTUP_HOME RUSTUP_TOOLCHAIN RUSTFLAGS
  GOPATH GOROOT GOBIN GOFLAGS GOPROXY GOPRIVATE GOCACHE GOMODCACHE
  JAVA_HOME JDK_HOME MAVEN_HOME M2_HOME GRADLE_HOME GRADLE_USER_HOME ANDROID_HOME ANDROID_SDK_ROOT SDKMAN_DIR
  RBENV_ROOT RBENV_VERSION GEM_HOME GEM_PATH BUNDLE_PATH ASDF_DIR ASDF_DATA_DIR DOTNET_ROOT
  NIX_PATH NIX_PROFILES HOMEBREW_PREFIX HOMEBREW_CELLAR HOMEBREW_REPOSITORY DOCKER_HOST DOCKER_CONTEXT KUBECONFIG`

const allowed = new Set([basics, network, toolchains].flatMap((names) => names.trim().split(/\s+/)))
const allowedPrefixes = ["LC_", "XDG_"]

/** Applies to listed names, too, because anything may follow XDG_ and LC_. The keys of all providers are among them. */
const secret = /KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|AUTH(?!_SOCK)/

export const isSecret = (name: string): boolean => secret.test(name.toUpperCase())

export const mayPass = (name: string): boolean => {
  const upper = name.toUpperCase()
  return (allowed.has(upper) || allowedPrefixes.some((prefix) => upper.startsWith(prefix))) && !secret.test(upper)
}
