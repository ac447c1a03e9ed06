import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { RetryLater } from '@jobline/handlers/errors';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { cpuMsOf, ForcedEnd } from './compute-child.js';
import { type ComputePool, createComputePool, type PoolOptions, type TaskOptions } from './compute-pool.js';

/** A limit that ends nothing: a test that hangs is ended by its own limit. */
const LONG_MS = 600_000;
const pools: ComputePool[] = [];
afterEach(() => Promise.all(pools.splice(0).map((pool) => pool.close())));

function open(options: Partial<PoolOptions> = {}) {
  const pool = createComputePool({
    processes: 1,
    memory: { heapMb: 64, dataMb: 320 },
    queue: { perOwner: 20, perPausedOwner: 20, total: 20, totalBytes: 1_000_000 },
    pauseMs: 0,
    ...options,
  });
  pools.push(pool);
  const fill = (source: string, { data = {}, ...more }: Partial<TaskOptions> & { data?: object } = {}) =>
    pool.run(
      'fill',
      { source, dataJson: JSON.stringify({ items: ITEMS, ...data }), format: 'text', renderLimitMs: LONG_MS },
      { owner: 'a', sizeBytes: source.length, deadlineMs: LONG_MS, ...more },
    );
  return { pool, fill };
}

const pidOf = (pool: ComputePool): number => pool.pids()[0] ?? Number.NaN;
const isGone = (pid: number): boolean => {
  try {
    return !process.kill(pid, 0);
  } catch {
    return true;
  }
};
function environmentOf(pid: number): string {
  if (existsSync('/proc/self/environ')) return readFileSync(`/proc/${pid}/environ`, 'latin1');
  return execFileSync('ps', ['-Eww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
}
const toBeGone = (pid: number) => vi.waitUntil(() => isGone(pid), { timeout: LONG_MS });
const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no failure',
    (error: unknown) => error,
  );

const ITEMS = Array.from({ length: 1_000 }, (_, n) => n);
const ENDLESS = ['a', 'b', 'c', 'd'].reduce((inner, name) => `{% for ${name} in items %}${inner}{% endfor %}`, '');
/** A list that contains one long text many times. The joined text has 500 MB, and the engine creates it in one step. */
const TOO_LARGE = `{% assign l = x | split: "~" %}${'{% assign l = l | concat: l %}'.repeat(9)}{{ l | upcase }}`;
const LARGE_DATA = { x: 'x'.repeat(1_000_000) };

test('a compute process is started by the first task and kept for the next one', async () => {
  const { pool, fill } = open();
  expect(pool.pids()).toEqual([]);

  expect(await fill('{{ x }}', { data: { x: 1 } })).toEqual({ text: '1', missing: [] });
  const pid = pidOf(pool);
  expect(await fill('b')).toEqual({ text: 'b', missing: [] });

  expect(pool.pids()).toEqual([pid]);
});

test('a compute process inherits no environment variables, and its time zone is UTC', async () => {
  vi.stubEnv('DATABASE_URL', 'postgres://s3cret');
  const { pool, fill } = open();
  await fill('x');
  vi.unstubAllEnvs();

  const environment = environmentOf(pidOf(pool));

  expect(environment).toContain('NODE_CHANNEL_FD');
  expect(environment).toContain('TZ=UTC');
  expect(environment).not.toMatch(/s3cret|DATABASE_URL|\bHOME=/);
});

test.each<[string, string, Partial<TaskOptions> & { data?: object }, ForcedEnd['reason']]>([
  ['takes too long', ENDLESS, { deadlineMs: 50 }, 'time'],
  ['takes too much memory', TOO_LARGE, { data: LARGE_DATA }, 'memory'],
])('a task that %s ends only its own process, which is replaced', async (_what, source, options, reason) => {
  const { pool, fill } = open();
  await fill('x');
  const pid = pidOf(pool);

  expect(await failure(fill(source, options))).toMatchObject({ name: 'ForcedEnd', reason });

  await toBeGone(pid);
  expect((await fill('next')).text).toBe('next');
  expect(pidOf(pool)).not.toBe(pid);
});

test('a task that waits for a processor longer than its deadline is not ended', async () => {
  const { pool, fill } = open();
  await fill('x');
  const pid = pidOf(pool);
  const before = cpuMsOf(pid) ?? Number.NaN;
  const work = fill('{% for a in items %}{% for b in items %}{% endfor %}{% endfor %}done', { deadlineMs: 2_000 });
  await vi.waitUntil(() => (cpuMsOf(pid) ?? 0) > before, { interval: 1, timeout: LONG_MS });

  // This simulates the busiest machine: the process gets no processor time until its deadline has passed.
  process.kill(pid, 'SIGSTOP');
  await setTimeout(2_500);
  process.kill(pid, 'SIGCONT');

  expect((await work).text).toBe('done');
  expect(pidOf(pool)).toBe(pid);
});

test('a task whose process is killed from outside may be retried, and the process is replaced', async () => {
  const { pool, fill } = open();
  await fill('x');
  const lost = failure(fill(ENDLESS));
  process.kill(pidOf(pool), 'SIGKILL');

  expect(await lost).toBeInstanceOf(RetryLater);
  expect((await fill('next')).text).toBe('next');
});

describe('a task that is aborted', () => {
  test('leaves the queue without starting', async () => {
    const { pool, fill } = open();
    const [ending, endingAll] = [new AbortController(), new AbortController()];
    const running = failure(fill(ENDLESS, { signal: endingAll.signal }));
    const waiting = failure(fill(ENDLESS, { signal: ending.signal }));
    const pid = pidOf(pool);
    ending.abort(new Error('canceled'));

    expect(await waiting).toEqual(new Error('canceled'));
    expect(pool.pids()).toEqual([pid]);
    endingAll.abort(new Error('all canceled'));
    expect(await running).toEqual(new Error('all canceled'));
    expect((await fill('next')).text).toBe('next');
  });

  test('has its process killed if it is running', async () => {
    const { pool, fill } = open();
    await fill('x');
    const pid = pidOf(pool);
    const ending = new AbortController();
    const running = failure(fill(ENDLESS, { signal: ending.signal }));
    ending.abort(new Error('canceled'));

    expect(await running).toEqual(new Error('canceled'));
    await toBeGone(pid);
  });

  test('never starts if it was aborted before', async () => {
    const { pool, fill } = open();

    expect(await failure(fill('x', { signal: AbortSignal.abort(new Error('canceled')) }))).toEqual(
      new Error('canceled'),
    );
    expect(pool.pids()).toEqual([]);
  });
});

test('a task is rejected with a later retry if the queue is full', async () => {
  const { pool, fill } = open({ queue: { perOwner: 2, perPausedOwner: 2, total: 3, totalBytes: 1_000_000 } });
  const ends = [fill(ENDLESS), fill('1'), fill('2')].map(failure);

  const rejection = await failure(fill('3'));

  expect(rejection).toBeInstanceOf(RetryLater);
  expect(rejection).toMatchObject({ message: expect.stringContaining('too many') });
  const other = failure(fill('4', { owner: 'b' }));
  expect(await failure(fill('5', { owner: 'b' }))).toBeInstanceOf(RetryLater);
  await pool.close();
  for (const end of [...ends, other]) expect(await end).toBeInstanceOf(RetryLater);
});

test('a key is paused after its task was ended by force, and other keys are not', async () => {
  const { pool, fill } = open({ pauseMs: LONG_MS });
  const ended = failure(fill(ENDLESS, { deadlineMs: 50 }));
  const [own, other] = [failure(fill('own')), fill('other', { owner: 'b' })];

  expect(await ended).toBeInstanceOf(ForcedEnd);
  expect((await other).text).toBe('other');
  await pool.close();
  expect(await own).toBeInstanceOf(RetryLater);
});

test('a key runs again after its pause without another request', async () => {
  const { fill } = open({ pauseMs: 20 });
  const ended = failure(fill(ENDLESS, { deadlineMs: 50 }));
  const own = fill('own');

  expect(await ended).toBeInstanceOf(ForcedEnd);
  expect((await own).text).toBe('own');
});

test('tasks run concurrently, each in its own process', async () => {
  const { pool, fill } = open({ processes: 2 });
  const ending = new AbortController();
  const running = failure(fill(ENDLESS, { signal: ending.signal }));

  expect((await fill('other')).text).toBe('other');
  expect(pool.pids()).toHaveLength(2);
  ending.abort();
  await running;
});

test('an idle compute process is ended if the pool has an idle limit', async () => {
  const { pool, fill } = open({ idleMs: 10 });
  await fill('x');

  await vi.waitUntil(() => pool.pids().length === 0, { timeout: LONG_MS });
  expect((await fill('next')).text).toBe('next');
});

describe('an idle compute process', () => {
  const PROGRAM = `
    import { createComputePool } from ${JSON.stringify(new URL('../../dist/compute/compute-pool.js', import.meta.url))};
    const queue = { perOwner: 9, perPausedOwner: 9, total: 9, totalBytes: 999 };
    const pool = createComputePool({ processes: 1, memory: { heapMb: 64, dataMb: 320 }, queue, pauseMs: 0 });
    await pool.run('variables', { source: 'x' }, { owner: 'a', sizeBytes: 1, deadlineMs: ${LONG_MS} });
    process.stdout.write(String(pool.pids()[0]));`;

  async function startParent(after: string) {
    const parent = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM + after], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const gone = once(parent, 'exit');
    const [said] = await once(parent.stdout, 'data');
    return { parent, gone, pid: Number(said) };
  }

  test('does not keep its parent alive, and ends with it', async () => {
    const { gone, pid } = await startParent('');

    expect(await gone).toEqual([0, null]);
    await toBeGone(pid);
  });

  test('has ended when closing the pool resolves', async () => {
    const { gone, pid } = await startParent('await pool.close(); process.exitCode = 7;');

    expect(await gone).toEqual([7, null]);
    expect(isGone(pid)).toBe(true);
  });

  test('ends with a parent that is killed', async () => {
    const { parent, gone, pid } = await startParent('setInterval(() => undefined, 1_000);');
    expect(isGone(pid)).toBe(false);
    parent.kill('SIGKILL');
    await gone;

    await toBeGone(pid);
  });
});
