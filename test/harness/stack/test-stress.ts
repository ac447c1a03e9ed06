import { mkdirSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { type Child, endChild, listenForStop, PlainError, type StopRequests, spawnChild } from '@jobline/devstack';
import { type RunResult, readResult } from './flaky.js';
import type { Invocation } from './test-servers.js';

const RUNS = 3;

/** The conditions in which the suite must pass. */
const KINDS = {
  quiet: { command: [], isBusy: false },
  busy: { command: [], isBusy: true },
  pinned: { command: ['taskset', '-c', '0'], isBusy: false },
} as const;
type Kind = keyof typeof KINDS;

/** The result of one run of the suite. The counts are null if it ended before it reported any. */
interface Run {
  kind: Kind;
  seconds: number;
  exitCode: number | null;
  counts: Pick<RunResult, 'passed' | 'failed' | 'skipped'> | null;
}

/**
 * `npm run test:stress`: runs the suite without the long forms several times on a quiet machine, with a busy loop on
 * each processor, and on a single processor, and prints a table of times and failures. `-- 1` runs each kind once,
 * `-- 3 busy` runs one kind only. With TEST_PART=fast it runs what `npm test` runs. Resolves with 0 only if every run
 * passed and skipped nothing.
 */
export async function testStress({ root, argv, env }: Invocation): Promise<number> {
  const logDir = join(root, '.jobline/stress');
  const stop = listenForStop(env);
  const runs: Run[] = [];
  try {
    const plan = planOf(argv);
    mkdirSync(logDir, { recursive: true });
    for (const [n, kind] of plan.entries()) {
      if (stop.stopping.aborted) break;
      const logFile = join(logDir, `${kind}-${runs.filter((run) => run.kind === kind).length + 1}.log`);
      console.log(`Run ${n + 1} of ${plan.length}: ${kind}; the output is in ${logFile}.`);
      const run = await runSuite({ root, env, kind, logFile }, stop);
      runs.push(run);
      console.log(`  ${describe(run)}`);
    }
    console.log(`\n${tableOf(runs)}`);
    return runs.length === plan.length && runs.every(hasPassed) ? 0 : 1;
  } catch (error) {
    console.error(error instanceof PlainError ? error.message : error);
    return 1;
  } finally {
    stop.dispose();
  }
}

interface Suite extends Pick<Invocation, 'root' | 'env'> {
  kind: Kind;
  logFile: string;
}

/** The kinds alternate, so that a machine that becomes slower affects all of them. */
function planOf(argv: readonly string[]): Kind[] {
  const count = Number(argv.find((arg) => /^\d+$/.test(arg)) ?? RUNS);
  const named = argv.filter((arg): arg is Kind => Object.hasOwn(KINDS, arg));
  if (count < 1 || argv.some((arg) => !/^\d+$/.test(arg) && !Object.hasOwn(KINDS, arg))) {
    throw new PlainError(`Usage: npm run test:stress [-- <runs of each kind>] [${Object.keys(KINDS).join(' | ')}]`);
  }
  // The cast: they are the keys of the object.
  const kinds = named.length > 0 ? named : (Object.keys(KINDS) as Kind[]);
  return Array.from({ length: count }, () => kinds).flat();
}

async function runSuite({ root, env, kind, logFile }: Suite, stop: StopRequests): Promise<Run> {
  const { command, isBusy } = KINDS[kind];
  const resultFile = `${logFile}.json`;
  for (const file of [logFile, resultFile]) rmSync(file, { force: true });
  const loops = isBusy ? await Promise.all(Array.from({ length: availableParallelism() }, startBusyLoop)) : [];
  const startedAt = performance.now();
  try {
    const [program, ...args] = [...command, process.execPath, join(root, 'test/harness/stack/test.mjs')];
    const suite = await spawnChild(program ?? '', args, {
      env: { TEST_PART: 'all', ...env, TEST_RESULT_FILE: resultFile },
      output: { file: logFile },
      cwd: root,
    });
    await Promise.race([suite.exited, stop.requested]);
    await endChild(suite, 'SIGTERM', 20_000);
    const exit = await suite.exited;
    const exitCode = typeof exit === 'number' ? exit : null;
    return { kind, seconds: (performance.now() - startedAt) / 1_000, exitCode, counts: readResult(resultFile) };
  } finally {
    await Promise.all(loops.map((loop) => endChild(loop, 'SIGKILL', 1_000)));
  }
}

/** At the lowest priority, like a build or a scan that runs at the same time as the tests. */
function startBusyLoop(): Promise<Child> {
  return spawnChild('nice', ['-n', '19', process.execPath, '-e', 'for (;;);'], {
    env: { PATH: process.env.PATH },
    output: { file: '/dev/null' },
  });
}

function hasPassed({ exitCode, counts }: Run): boolean {
  return exitCode === 0 && counts !== null && counts.passed > 0 && counts.failed === 0 && counts.skipped === 0;
}

function describe(run: Run): string {
  const { seconds, exitCode, counts } = run;
  const what = counts
    ? `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`
    : `ended early (exit ${exitCode})`;
  return `${hasPassed(run) ? 'passed' : 'FAILED'} after ${Math.round(seconds)} s: ${what}`;
}

function tableOf(runs: readonly Run[]): string {
  const rows = runs.map(({ kind, seconds, exitCode, counts }) => [
    kind,
    `${Math.round(seconds)} s`,
    ...[counts?.passed, counts?.failed, counts?.skipped].map((count) => String(count ?? '–')),
    String(exitCode ?? 'killed'),
  ]);
  const all = [['kind', 'time', 'passed', 'failed', 'skipped', 'exit'], ...rows];
  return all.map((row) => row.map((cell, n) => (n === 0 ? cell.padEnd(8) : cell.padStart(8))).join('')).join('\n');
}
