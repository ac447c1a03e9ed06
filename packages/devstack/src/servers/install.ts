import { spawnSync } from 'node:child_process';
import { spawnChild } from '../processes/child.js';
import { tailOf } from '../processes/log-file.js';
import { PlainError } from '../processes/terminal.js';

/** A program that is needed, and the packages that contain it. */
export interface Requirement<T> {
  name: string;
  find(): T | undefined | Promise<T | undefined>;
  /** Packages without a service that starts by itself. */
  packages: Readonly<Record<PackageTool, readonly string[]>>;
  /** The advice on a system without a known package manager. */
  manually: string;
  /** The alternative to an installation, e.g. `set REDIS_URL`. */
  otherwise: string;
}

export interface InstallOptions {
  env: NodeJS.ProcessEnv;
  logFile: string;
  say(line: string): void;
  /** Whether this process runs as root. Looked up by default. */
  isRoot?: boolean;
}

const APT_INSTALL = 'apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=120 "$@"';

/** Installs the packages in "$@" without a question. apt-get gets fresh package lists if it fails at first. */
const SCRIPTS = {
  'apt-get': `${APT_INSTALL} || { apt-get update && ${APT_INSTALL}; }`,
  apk: 'apk add --no-cache "$@"',
  dnf: 'dnf install -y "$@"',
  brew: 'brew install "$@"',
};
type PackageTool = keyof typeof SCRIPTS;

/**
 * Finds the program. Installs it with the package manager of the system if that needs no password; otherwise throws
 * PlainError.
 */
export async function ensureInstalled<T>(requirement: Requirement<T>, options: InstallOptions): Promise<T> {
  const { name, manually, otherwise } = requirement;
  const { env, logFile, say, isRoot = process.getuid?.() === 0 } = options;
  const found = await requirement.find();
  if (found) return found;
  const works = (command: string, ...args: string[]) =>
    spawnSync(command, args, { env, stdio: 'ignore', timeout: 20_000 }).status === 0;
  // The cast: they are the keys of the object.
  const tool = (Object.keys(SCRIPTS) as PackageTool[]).find((command) => works(command, '--version'));
  if (!tool) throw new PlainError(`${name} is missing: ${manually}, or ${otherwise}.`);

  const packages = requirement.packages[tool];
  const needsRoot = tool !== 'brew';
  const verb = tool === 'apk' ? 'add' : 'install';
  const advice = `install it with \`${[...(needsRoot ? ['sudo'] : []), tool, verb, ...packages].join(' ')}\`, or ${otherwise}.`;
  if (env.JOBLINE_NO_INSTALL === '1') throw new PlainError(`${name} is missing and JOBLINE_NO_INSTALL=1: ${advice}`);
  const usesSudo = needsRoot && !isRoot;
  if ((isRoot && !needsRoot) || (usesSudo && !works('sudo', '-n', 'true')))
    throw new PlainError(`${name} is missing: ${advice}`);

  say(`${name} is missing; installing ${packages.at(-1)} with ${tool} (JOBLINE_NO_INSTALL=1 prevents this) …`);
  const quiet = ['env', 'DEBIAN_FRONTEND=noninteractive', 'HOMEBREW_NO_AUTO_UPDATE=1'];
  const [command = '', ...args] = [...(usesSudo ? ['sudo', '-n'] : []), ...quiet, 'sh', '-c', SCRIPTS[tool], 'sh'];
  // Our end must not leave a half-installed package.
  const output = { file: logFile };
  const installer = await spawnChild(command, [...args, ...packages], { env, output, outlivesUs: true });
  const program = (await installer.exited) === 0 ? await requirement.find() : undefined;
  if (program) return program;
  throw new PlainError(`${name} could not be installed; ${advice} The end of ${logFile}:\n${tailOf(logFile)}`);
}
