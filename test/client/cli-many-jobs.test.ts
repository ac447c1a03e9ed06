import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../harness/index.js';
import { type Ended, runPiped, startPiped } from './cli-process.js';
import { type ClientWorld, createClientWorld } from './client-world.js';

let at: ClientWorld;
let env: Record<string, string>;
let dir: string;
let tests = 0;
let tag: string;

beforeAll(async () => {
  at = await createClientWorld();
  env = { JOBLINE_URL: at.proxy.url, JOBLINE_API_KEY: at.key };
  dir = mkdtempSync(join(tmpdir(), 'jobline-cli-'));
});
beforeEach(() => {
  tag = `test-${tests++}`;
});
afterAll(async () => {
  rmSync(dir, { recursive: true });
  await at.end();
});

const jobline = (...args: string[]): Promise<Ended> => runPiped(args, { env });

const line = (more: object = {}) => JSON.stringify({ type: 'echo', payload: {}, tags: [tag], ...more });

function fileWith(...lines: string[]): string {
  const path = join(dir, `${tag}.ndjson`);
  writeFileSync(path, lines.join('\n'));
  return path;
}

async function submitted(): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of at.client.jobs.all({ tag })) ids.push(id);
  return ids;
}

async function ended(type: string): Promise<string> {
  const { id } = await at.client.jobs.submit(type, {}, { tags: [tag] });
  await at.client.jobs.wait(id);
  return id;
}

describe('jobline submit-many', () => {
  it('submits the jobs of a file and prints their ids in order', async () => {
    const file = fileWith(line({ id: `${tag}-a` }), '', line({ id: `${tag}-b` }), '');

    expect(await jobline('submit-many', file)).toEqual({ code: 0, stdout: `${tag}-a\n${tag}-b\n`, stderr: '' });
    expect(await submitted()).toEqual([`${tag}-b`, `${tag}-a`]);
  });

  it('submits nothing of a file with a line that is not JSON, and names the line', async () => {
    const outcome = await jobline('submit-many', fileWith(line(), '', '{"type": "echo"', line()));

    expect(outcome).toMatchObject({ code: 2, stdout: '' });
    expect(outcome.stderr).toMatch(/^error: Line 3 is not JSON: .*\n0 jobs were accepted\. /);
    expect(await submitted()).toEqual([]);
  });

  it('says how many jobs of the standard input were accepted before a bad line, and goes on with the same key', async () => {
    const lines = Array.from({ length: 1_500 }, () => line());
    const broken = await runPiped(['submit-many', '-'], { env, input: [...lines, '[]'].join('\n') });

    expect(broken).toMatchObject({ code: 2, stdout: '' });
    expect(broken.stderr).toMatch(/^error: Line 1501 is not a JSON object\.\n1000 jobs were accepted\. /);
    expect(await submitted()).toHaveLength(1_000);
    const [, key = ''] = /--idempotency-key (\w+)/.exec(broken.stderr) ?? [];
    const input = [...lines, line()].join('\n');
    const whole = await runPiped(['submit-many', '-', '--json', '--idempotency-key', key], { env, input });
    expect(JSON.parse(whole.stdout)).toMatchObject({ accepted: 1_501 });
    expect(new Set(await submitted())).toEqual(new Set(JSON.parse(whole.stdout).ids));
  });

  it('names the line of a job that the API rejects', async () => {
    const outcome = await jobline('submit-many', fileWith(line(), '', line({ priority: 12 })));

    expect(outcome).toMatchObject({ code: 3, stdout: '' });
    expect(outcome.stderr).toMatch(/^error: .*\(line 3, priority: .*\)\n0 jobs were accepted\. /);
  });

  it('exits with 2 for a file that cannot be read', async () => {
    expect(await jobline('submit-many', join(dir, 'none'))).toMatchObject({ code: 2, stdout: '' });
    expect((await jobline('submit-many', dir)).stderr).toContain('it is a folder');
  });

  it('says at Ctrl-C how many jobs were accepted', async () => {
    const many = startPiped(['submit-many', '-'], env);
    many.type(`${Array.from({ length: 1_001 }, () => line()).join('\n')}\n`);
    await until('the first batch to be stored', async () => (await submitted()).length === 1_000);
    many.kill('SIGINT');

    expect(await many.ended).toBe(130);
  });
});

describe('jobline retry, cancel, rerun and delete', () => {
  it('change every job, also if the reader of the output has gone', async () => {
    const run_at = new Date(Date.now() + 3_600_000).toISOString();
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) ids.push((await at.client.jobs.submit('echo', {}, { run_at })).id);
    const command = startPiped(['cancel', ...ids, 'missing'], env);
    command.stopReading();

    expect(await command.ended).toBe(3);
    for (const id of ids) expect((await at.client.jobs.get(id)).status).toBe('failed');
  });

  it('print one line for each id, and exit with 3 if any was refused', async () => {
    const failed = await ended('failing');
    const outcome = await jobline('retry', failed, 'no-such-job', '--json');

    expect(outcome).toMatchObject({ code: 3, stderr: 'error: no-such-job: Not found.\n' });
    expect(
      outcome.stdout
        .trim()
        .split('\n')
        .map((text) => JSON.parse(text)),
    ).toMatchObject([
      { id: failed, status: 'pending' },
      { id: 'no-such-job', error: { code: 'not_found' } },
    ]);
  });

  it('change the jobs', async () => {
    const { id } = await at.client.jobs.submit('echo', {}, { run_at: new Date(Date.now() + 3_600_000).toISOString() });
    expect(await jobline('cancel', id)).toEqual({ code: 0, stdout: `${id}  failed\n`, stderr: '' });
    const rerun = await jobline('rerun', id, '--payload', '{"n": 2}', '--json');
    expect(await at.client.jobs.get(JSON.parse(rerun.stdout).id)).toMatchObject({ rerun_of: id, payload: { n: 2 } });
    expect(await jobline('delete', id)).toEqual({ code: 0, stdout: `${id}  deleted\n`, stderr: '' });
    expect(await jobline('delete', id)).toMatchObject({ code: 3 });
  });

  it('ask for no more jobs after the key was refused', async () => {
    const outcome = await runPiped(['cancel', 'a', 'b'], { env: { ...env, JOBLINE_API_KEY: 'jl_wrong' } });

    expect(outcome).toMatchObject({ code: 3, stdout: '' });
    expect(outcome.stderr).toMatch(/^error: The API rejected the key in JOBLINE_API_KEY\.\n.*`jobline login`\.\n$/);
  });
});

describe('jobline bulk', () => {
  it('does nothing without a terminal and without --yes', async () => {
    await ended('failing');
    const outcome = await jobline('bulk', 'delete', '--tag', tag);

    expect(outcome).toMatchObject({ code: 2, stdout: '' });
    expect(outcome.stderr).toContain('--yes');
    expect(await submitted()).toHaveLength(1);
  });

  it('counts with --dry-run', async () => {
    await ended('failing');

    expect(await jobline('bulk', 'retry', '--tag', tag, '--dry-run')).toMatchObject({
      code: 0,
      stdout: '1 job matches.\n',
    });
    expect(JSON.parse((await jobline('bulk', 'retry', '--tag', tag, '--dry-run', '--json')).stdout)).toEqual({
      matches: 1,
    });
  });

  it('does the action with --yes and prints its outcome', async () => {
    await ended('failing');
    await ended('echo');
    const args = ['bulk', 'retry', '--tag', tag, '--created-after', '1h', '--per-second', '100', '--yes'];

    const action = JSON.parse((await jobline(...args, '--json')).stdout);
    expect(action).toMatchObject({ action: 'retry', status: 'done', total: 2, done: 1, skipped: 1, failed: 0 });
    expect((await jobline('bulk', 'delete', '--tag', tag, '--type', 'echo', '--yes')).stdout).toMatch(/^Done +1$/m);
    expect(await submitted()).toHaveLength(1);
  });

  it('exits with 2 without a filter', async () => {
    expect(await jobline('bulk', 'delete', '--yes')).toMatchObject({ code: 2, stdout: '' });
  });
});
