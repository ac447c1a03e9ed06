import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PlainError } from '../processes/terminal.js';
import { ensureInstalled } from './install.js';

let dir: string;
let said: string[];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'jobline-install-'));
  said = [];
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const called = () =>
  existsSync(join(dir, 'calls')) ? readFileSync(join(dir, 'calls'), 'utf8').trim().split('\n') : [];

/** A package manager that records its calls. `install` is the rest of its script. */
function packageTool(name: string, install: string): void {
  const script = `#!/bin/sh\n[ "$1" = --version ] && exit 0\necho "$@" >>"${dir}/calls"\n${install}\n`;
  writeFileSync(join(dir, name), script);
  chmodSync(join(dir, name), 0o755);
}

function ensure(more: { env?: NodeJS.ProcessEnv; isRoot?: boolean } = {}): Promise<string> {
  const program = join(dir, 'program');
  return ensureInstalled(
    {
      name: 'Thing',
      find: () => (existsSync(program) ? program : undefined),
      packages: { 'apt-get': ['thing-fonts', 'thing'], apk: ['thing'], dnf: ['thing'], brew: ['thing'] },
      manually: 'install a thing',
      otherwise: 'set THING',
    },
    {
      env: { PATH: `${dir}:/usr/bin:/bin`, ...more.env },
      logFile: join(dir, 'install.log'),
      say: (line) => void said.push(line),
      isRoot: more.isRoot ?? true,
    },
  );
}

test('a program that exists is not installed again', async () => {
  packageTool('apt-get', 'exit 1');
  writeFileSync(join(dir, 'program'), '');

  expect(await ensure()).toBe(join(dir, 'program'));
  expect(called()).toEqual([]);
  expect(said).toEqual([]);
});

test('a missing program is installed without a question, after one line of notice', async () => {
  packageTool('apt-get', `touch "${dir}/program"`);

  expect(await ensure()).toBe(join(dir, 'program'));

  expect(called()).toEqual(['install -y --no-install-recommends -o DPkg::Lock::Timeout=120 thing-fonts thing']);
  expect(said).toEqual(['Thing is missing; installing thing with apt-get (JOBLINE_NO_INSTALL=1 prevents this) …']);
});

test.each([
  ['needs no password, so the program is installed', 'shift; exec "$@"', 'install'],
  ['needs a password, so the program is not installed', 'exit 1', 'refuse'],
])('for a user who is not root, sudo %s', async (_what, sudo, end) => {
  packageTool('apt-get', `touch "${dir}/program"`);
  writeFileSync(join(dir, 'sudo'), `#!/bin/sh\n${sudo}\n`, { mode: 0o755 });

  const program = ensure({ isRoot: false });

  if (end === 'install') expect(await program).toBe(join(dir, 'program'));
  else
    await expect(program).rejects.toThrow('Thing is missing: install it with `sudo apt-get install thing-fonts thing`');
  expect(called()).toHaveLength(end === 'install' ? 1 : 0);
});

test('an installation that fails at first is tried again with fresh package lists', async () => {
  packageTool('apt-get', `[ "$1" = update ] && touch "${dir}/fresh"; [ -e "${dir}/fresh" ] && touch "${dir}/program"`);

  expect(await ensure()).toBe(join(dir, 'program'));
  expect(called().map((call) => call.split(' ')[0])).toEqual(['install', 'update', 'install']);
});

test('the error of a failed installation contains the command and the end of its output', async () => {
  packageTool('apt-get', 'echo no such package; exit 100');

  const error = await ensure().catch((thrown: unknown) => thrown);

  expect(error).toBeInstanceOf(PlainError);
  expect(String(error)).toMatch(
    /Thing could not be installed; install it with `sudo apt-get install thing-fonts thing`, or set THING\..*no such package/s,
  );
});

test('JOBLINE_NO_INSTALL=1 prevents the installation of a missing program', async () => {
  packageTool('apt-get', `touch "${dir}/program"`);

  await expect(ensure({ env: { JOBLINE_NO_INSTALL: '1' } })).rejects.toThrow(
    'Thing is missing and JOBLINE_NO_INSTALL=1: install it with `sudo apt-get install thing-fonts thing`, or set THING.',
  );
  expect(called()).toEqual([]);
});

test('without a package manager, the error says what to install manually', async () => {
  await expect(ensure({ env: { PATH: dir } })).rejects.toThrow('Thing is missing: install a thing, or set THING.');
});
