import { spawnSync } from 'node:child_process';
import { spawnChild } from '../processes/child.js';
import { tailOf } from '../processes/log-file.js';
import { PlainError } from '../processes/plain-error.js';

/** A program that we need, and what brings it. */
export interface Wanted<T> {
  /** As people call it. */
  name: string;
  find(): T | undefined | Promise<T | undefined>;
  /** What each package manager calls it: without a service that starts by itself. */
  packages: Readonly<Record<PackageTool, readonly string[]>>;
  /** What to do where there is no package manager that we know. */
  byHand: string;
  /** What else one can do, e.g. `give a REDIS_URL`. */
  otherwise: string;
}

export interface InstallOptions {
  env: NodeJS.ProcessEnv;
  logFile: string;
  say(line: string): void;
  /** Whether this process is root's; looked up if absent. */
  isRoot?: boolean;
}

type PackageTool = 'apt-get' | 'apk' | 'dnf' | 'brew';

/** How a package manager installs without a question. */
interface Installer {
  command: PackageTool;
  install: string;
  quietly: readonly string[];
  /** Run if installing fails at first. */
  refresh?: string;
  asRoot: boolean;
}

const INSTALLERS: readonly Installer[] = [
  {
    command: 'apt-get',
    install: 'install',
    quietly: ['-y', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=120'],
    refresh: 'update',
    asRoot: true,
  },
  { command: 'apk', install: 'add', quietly: ['--no-cache'], asRoot: true },
  { command: 'dnf', install: 'install', quietly: ['-y'], asRoot: true },
  { command: 'brew', install: 'install', quietly: [], asRoot: false },
];

/** The program; installed with the system's package manager if that can be done without a question. Else a PlainError. */
export async function ensureInstalled<T>(wanted: Wanted<T>, options: InstallOptions): Promise<T> {
  const { env, logFile, say, isRoot = process.getuid?.() === 0 } = options;
  const { name, otherwise } = wanted;
  const found = await wanted.find();
  if (found) return found;
  const way = findWay(env, isRoot);
  if (!way) throw new PlainError(`${name} is missing: ${wanted.byHand}, or ${otherwise}.`);
  const { installer, prefix } = way;
  const packages = wanted.packages[installer.command];
  const command = [installer.command, installer.install, ...packages].join(' ');
  const advice = `install it with \`${installer.asRoot ? 'sudo ' : ''}${command}\`, or ${otherwise}.`;
  if (env.JOBLINE_NO_INSTALL === '1') throw new PlainError(`${name} is missing and JOBLINE_NO_INSTALL=1: ${advice}`);
  if (!prefix) throw new PlainError(`${name} is missing: ${advice}`);

  say(
    `${name} is missing: installing ${packages.find((name) => !name.startsWith('-'))} with ${installer.command} (JOBLINE_NO_INSTALL=1 refuses) …`,
  );
  const run = (...args: string[]) => runLogged([...prefix, installer.command, ...args], env, logFile);
  const install = () => run(installer.install, ...installer.quietly, ...packages);
  const isInstalled = (await install()) || (installer.refresh && (await run(installer.refresh)) && (await install()));
  const program = isInstalled ? await wanted.find() : undefined;
  if (!program)
    throw new PlainError(`${name} could not be installed; ${advice} The end of ${logFile}:\n${tailOf(logFile)}`);
  return program;
}

/** The first package manager there is. No `prefix`: using it needs a password. */
function findWay(env: NodeJS.ProcessEnv, isRoot: boolean): { installer: Installer; prefix?: string[] } | undefined {
  const works = (command: string, ...args: string[]) =>
    spawnSync(command, args, { env, stdio: 'ignore', timeout: 20_000 }).status === 0;
  const installer = INSTALLERS.find(({ command }) => works(command, '--version'));
  if (!installer) return undefined;
  const quiet = ['env', 'DEBIAN_FRONTEND=noninteractive', 'HOMEBREW_NO_AUTO_UPDATE=1'];
  if (isRoot === installer.asRoot) return { installer, prefix: quiet };
  return installer.asRoot && works('sudo', '-n', 'true')
    ? { installer, prefix: ['sudo', '-n', ...quiet] }
    : { installer };
}

/** In a group of its own: our end in the middle of it must not leave a half-installed package. */
async function runLogged(command: string[], env: NodeJS.ProcessEnv, logFile: string): Promise<boolean> {
  const [program = '', ...args] = command;
  const child = await spawnChild(program, args, { env, output: { file: logFile } });
  return (await child.exited).code === 0;
}
