import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ended, runPiped, startPiped } from './cli-process.js';
import { type ClientWorld, createClientWorld } from './client-world.js';

let at: ClientWorld;
let env: Record<string, string>;

beforeAll(async () => {
  at = await createClientWorld();
  env = { JOBLINE_URL: at.proxy.url, JOBLINE_API_KEY: at.key };
});
afterAll(() => at.end());

const jobline = (...args: string[]): Promise<Ended> => runPiped(args, { env });

async function json(...args: string[]) {
  const { stdout, stderr } = await jobline(...args, '--json');
  return stdout ? JSON.parse(stdout) : stderr;
}

async function finished(type: 'echo' | 'failing', ...args: string[]): Promise<string> {
  const { stdout } = await jobline('submit', type, ...args);
  await jobline('wait', stdout.trim());
  return stdout.trim();
}

describe('jobline submit', () => {
  it('sends the options as fields of the job and prints the id', async () => {
    const payload = '{"a": [1, null]}';
    const fields = ['--id', 'sent', '--tag', 'x', '--tag', 'y', '--key', 'k', '--priority', '7', '--max-retries', '2'];
    const expires_at = new Date(Date.now() + 86_400_000).toISOString();
    const times = ['--run-at', '2h', '--expires-at', expires_at, '--callback-url', 'https://example.com/'];

    expect(await jobline('submit', 'echo', '--payload', payload, ...fields, ...times)).toEqual({
      code: 0,
      stdout: 'sent\n',
      stderr: '',
    });
    expect(await at.client.jobs.get('sent')).toMatchObject({
      payload: { a: [1, null] },
      status: 'pending',
      tags: ['x', 'y'],
      key: 'k',
      max_retries: 2,
      expires_at,
      callback_url: 'https://example.com/',
      waiting_for: 'run_at',
    });
    const { run_at } = await at.client.jobs.result('sent');
    expect(Date.parse(run_at) - Date.now()).toBeGreaterThan(7_000_000);
  });

  it('names the fields that a built-in type ignores, and submits the job', async () => {
    const payload = '{"to": "+254711000111", "message": "Hello", "cc": "+254711000112", "priority": 1}';

    const { code, stderr } = await jobline('submit', 'send_sms', '--payload', payload, '--run-at', '2h');

    expect({ code, stderr }).toEqual({ code: 0, stderr: 'warning: send_sms ignores: cc, priority\n' });
  });

  it('does not round an integer in silence', async () => {
    const { code, stderr } = await jobline('submit', 'echo', '--payload', '{"id": 616581622363398142}');

    // Node 20 does not show how a number was written: then the API rejects the rounded one.
    expect(code).toBe(process.version.startsWith('v20.') ? 3 : 2);
    expect(stderr).toContain('integer that would be rounded');
  });

  it('reads the payload from the standard input', async () => {
    const submitted = await runPiped(['submit', 'echo', '--payload', '-'], { env, input: '{"from": "a pipe"}' });

    expect(await at.client.jobs.get(submitted.stdout.trim())).toMatchObject({ payload: { from: 'a pipe' } });
  });

  it('submits one job for the same idempotency key', async () => {
    const once = ['submit', 'echo', '--idempotency-key', 'order-1'];

    expect((await jobline(...once)).stdout).toBe((await jobline(...once)).stdout);
    expect(await jobline(...once, '--payload', '{"b": 1}')).toMatchObject({ code: 3, stdout: '' });
  });

  it('waits for the end of the job with --wait, and exits with 1 if it failed', async () => {
    expect(await jobline('submit', 'echo', '--wait')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\S+\ndone\n$/),
      stderr: '',
    });
    const failed = await jobline('submit', 'failing', '--id', 'broken', '--wait');
    expect(failed).toMatchObject({ code: 1, stdout: 'broken\nfailed\n' });
    expect(failed.stderr).toContain('Job broken failed: handler_error: as the test wants');
    expect(await json('submit', 'failing', '--wait')).toMatchObject({ type: 'failing', status: 'failed' });
  });

  it.each([
    ['a payload that is not JSON', ['--payload', '{a: 1}'], '--payload is not JSON'],
    ['a payload that is no object', ['--payload', '[1]'], '--payload must be a JSON object'],
    ['a file that does not exist', ['--payload', '@no-such-file'], 'cannot be read'],
    ['a priority that is no number', ['--priority', 'high'], 'It must be a number'],
    ['a time that is none', ['--run-at', 'soon'], 'It must be an ISO time or a duration'],
    ['an option that does not exist', ['--prioritty', '1'], '(Did you mean --priority?)'],
  ])('exits with 2 for %s', async (_what, args, message) => {
    const ended = await jobline('submit', 'echo', ...args);

    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain(message);
  });

  it.each([
    ['priority', 'echo', ['--priority', '12']],
    ['type', 'a type', []],
  ])('exits with 3 and names the field %s if the API rejects it', async (field, type, args) => {
    const ended = await jobline('submit', type, ...args);

    expect(ended).toMatchObject({ code: 3, stdout: '' });
    expect(ended.stderr).toContain(`"${field}"`);
  });
});

describe('jobline wait', () => {
  it('exits with 4 if the job has not finished in time', async () => {
    const { id } = await at.client.jobs.submit('echo', {}, { run_at: new Date(Date.now() + 3_600_000).toISOString() });
    const ended = await jobline('wait', id, '--timeout', '0.1');

    expect(ended).toMatchObject({ code: 4, stdout: '' });
    expect(ended.stderr).toContain(`Job ${id} did not finish`);
  });
});

describe('jobline list', () => {
  it('prints a table without colors, with times as ISO', async () => {
    const id = await finished('echo', '--tag', 'listed');
    const { stdout } = await jobline('list', '--tag', 'listed');

    const [head, row, ...rest] = stdout.trimEnd().split('\n');
    expect(head).toMatch(/^ID +TYPE +STATUS +RETRIES +CREATED +TAGS$/);
    expect(row).toMatch(new RegExp(`^${id}  echo  done +0/0 +\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z +listed$`));
    expect(rest).toEqual([]);
  });

  it('takes every filter', async () => {
    const id = await finished('failing', '--tag', 'a', '--tag', 'b', '--key', 'one');
    await finished('failing', '--tag', 'a', '--key', 'two');
    const all = ['--status', 'failed', '--type', 'failing', '--tag', 'a', '--tag', 'b', '--key', 'one'];
    const more = ['--error-code', 'handler_error', '--created-after', '1h', '--created-before', '2030-01-01'];

    expect(await json('list', ...all, ...more)).toMatchObject([{ id }]);
    expect(await json('list', ...all, '--created-before', '1h')).toEqual([]);
  });

  it('prints one page, or with --all every page, one job per line of JSON', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) ids.unshift(await finished('echo', '--tag', 'paged'));
    const lines = (await jobline('list', '--tag', 'paged', '--limit', '1', '--all', '--json')).stdout
      .trim()
      .split('\n');

    expect(lines.map((line) => JSON.parse(line).id)).toEqual(ids);
    expect(await json('list', '--tag', 'paged', '--limit', '1')).toMatchObject([{ id: ids[0] }]);
  });

  it('ends quietly when its reader closes the pipe', async () => {
    const list = startPiped(['list', '--all', '--limit', '1'], env);
    await list.shows('\n');
    list.stopReading();

    expect(await list.ended).toBe(0);
    expect(list.stderr()).toBe('');
  });
});

describe('jobline show', () => {
  it('names the jobs for which a job waits, and those that wait for it, which list --after lists', async () => {
    const first = await finished('failing');
    await jobline('submit', 'echo', '--id', 'second', '--run-at', '2h', '--after', `${first}=ended`);
    await jobline('submit', 'echo', '--id', 'third', '--after', 'second', '--after', `${first}=ended`);

    expect((await jobline('show', 'third')).stdout).toMatch(
      new RegExp(`^After +second \\(done, waiting\\), ${first} \\(ended, met\\)$`, 'm'),
    );
    expect((await jobline('show', 'second')).stdout).toMatch(/^Waited for by +third \(pending\)$/m);
    expect((await json('list', '--after', first)).map(({ id }: { id: string }) => id).sort()).toEqual([
      'second',
      'third',
    ]);
    expect(await json('bulk', 'cancel', '--after', 'second', '--dry-run')).toMatchObject({ matches: 1 });
    expect(await jobline('submit', 'echo', '--after', `${first}=never`)).toMatchObject({ code: 3, stdout: '' });
  });

  it('prints a job with its payload, its result and its attempts', async () => {
    const id = await finished('echo', '--payload', '{"name": "Ada"}', '--key', 'k1');
    const { stdout } = await jobline('show', id);

    for (const part of [/^Status +done$/m, /^Key +k1$/m, /^Payload\n\{\n {2}"name": "Ada"\n\}$/m, /^Result\n/m])
      expect(stdout).toMatch(part);
    expect(stdout).toMatch(/^1 +\S+Z +\d+ +succeeded$/m);
    const { result } = await at.client.jobs.result(id);
    expect(await json('show', id)).toEqual({ ...(await at.client.jobs.get(id)), result, error: null });
  });

  it('prints no control characters of a payload', async () => {
    const id = await finished('echo', '--payload', JSON.stringify({ title: '\u001b[31m\u009b31m\u202e' }));

    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be printed
    expect((await jobline('show', id)).stdout).not.toMatch(/[\u001b\u009b\u202e]/);
    expect(await json('show', id)).toMatchObject({ payload: { title: '\u001b[31m\u009b31m\u202e' } });
  });

  it('exits with 3 if there is no such job', async () => {
    const stderr = 'error: Not found.\nCheck the id or the name. It must be one of your organization.\n';

    expect(await jobline('show', 'no-such-job')).toEqual({ code: 3, stdout: '', stderr });
  });
});

describe('jobline logs', () => {
  it('prints the log, and with --json one document', async () => {
    const id = await finished('failing');
    const entries = (await at.client.jobs.logs(id)).data;
    const { stdout } = await jobline('logs', id);

    expect(stdout).toMatch(/^\S+Z {2}1 {2}info {3}attempt 1 started\n/);
    expect(stdout.trim().split('\n')).toHaveLength(entries.length);
    expect(await json('logs', id)).toEqual(entries);
  });

  it('prints new lines with --follow until the job has finished, with --json one per line', async () => {
    const { id } = await at.client.jobs.submit('held', {});
    const [text, lines] = [
      startPiped(['logs', id, '--follow'], env),
      startPiped(['logs', id, '--follow', '--json'], env),
    ];
    await Promise.all([text.shows('holding'), lines.shows('holding')]);
    at.release();

    expect(await Promise.all([text.ended, lines.ended])).toEqual([0, 0]);
    const messages = lines.stdout().trim().split('\n');
    expect(messages.map((line) => JSON.parse(line).message).slice(0, 2)).toEqual(['attempt 1 started', 'holding']);
    expect(text.stdout().trim().split('\n')).toHaveLength(messages.length);
  });
});
