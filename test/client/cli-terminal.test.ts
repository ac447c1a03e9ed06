import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runInTerminal, startInTerminal } from './cli-process.js';
import { type ClientWorld, createClientWorld } from './client-world.js';

/** What changes the color of text on a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
const COLOR = /\u001b\[\d+m/;
const CTRL_C = '\u0003';

let at: ClientWorld;
let env: Record<string, string>;
let tests = 0;
let tag: string;

beforeAll(async () => {
  at = await createClientWorld();
  env = { JOBLINE_URL: at.proxy.url, JOBLINE_API_KEY: at.key };
});
beforeEach(() => {
  tag = `test-${tests++}`;
});
afterAll(() => at.end());

async function ended(type: string, more: object = {}): Promise<string> {
  const { id } = await at.client.jobs.submit(type, {}, { tags: [tag], ...more });
  await at.client.jobs.wait(id);
  return id;
}

describe('on a terminal', () => {
  it('tables have colors and relative times, but no colors with NO_COLOR or a terminal that has none', async () => {
    const id = await ended('failing');
    const list = ['list', '--tag', tag];
    const { code, stdout } = await runInTerminal(list, env);

    expect(code).toBe(0);
    expect(stdout).toContain(id);
    expect(stdout).toContain('\u001b[31mfailed\u001b[39m');
    expect(stdout).toMatch(/\b(now|\d+ s ago)\b/);
    for (const more of [{ NO_COLOR: '1' }, { TERM: 'dumb' }])
      expect((await runInTerminal(list, { ...env, ...more })).stdout).not.toMatch(COLOR);
    expect((await runInTerminal([...list, '--json'], env)).stdout).not.toMatch(COLOR);
  });

  it('a table is not wider than the terminal', async () => {
    const tags = [tag, ...['a', 'b', 'c'].map((letter) => letter.repeat(60))];
    await ended('echo', { tags });
    const { stdout } = await runInTerminal(['list', '--tag', tag], { ...env, NO_COLOR: '1' });

    const [, row = ''] = stdout.split('\r\n');
    expect(row).toMatch(/…$/);
    expect(row.length).toBe(100);
  });

  it('the time of a log line is the time since the first line', async () => {
    const { stdout } = await runInTerminal(['logs', await ended('echo')], { ...env, NO_COLOR: '1' });

    expect(stdout).toMatch(/^\+0\.000 s {2}1 {2}info {3}attempt 1 started\r\n\+\d\.\d{3} s /);
  });

  it('submit-many shows a progress bar for a file, and a counter for the standard input', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'jobline-cli-'));
    const file = join(dir, 'jobs.ndjson');
    writeFileSync(file, `${JSON.stringify({ type: 'echo', payload: {}, tags: [tag] })}\n`.repeat(1_200));
    const bar = await runInTerminal(['submit-many', file], env);
    rmSync(dir, { recursive: true });

    expect(bar.stdout).toMatch(/Submitting \[ +\] 0\/1200[\s\S]+Submitting \[=+\] 1200\/1200/);
    expect(bar.stdout).toContain('1200 jobs were accepted.');
    const counter = startInTerminal(['submit-many', '-'], env);
    await counter.shows('Submitting 0');
    counter.type(`{"type": "echo", "payload": {}}\r\u0004`);
    expect(await counter.ended).toBe(0);
    expect(counter.stdout()).toContain('1 job was accepted.');
  });

  it('wait shows how far the job is', async () => {
    const { id } = await at.client.jobs.submit('held', {});
    const command = startInTerminal(['wait', id], env);
    await command.shows('40/100 holding on');
    expect(command.stdout()).toMatch(/Progress \[=+ +\] 40\/100 holding on/);
    command.type(CTRL_C);

    expect(await command.ended).toBe(130);
    const shown = await runInTerminal(['show', id], { ...env, NO_COLOR: '1' });
    expect(shown.stdout).toMatch(/Progress +40 %, holding/);
  });

  it.each(['y', 'n'])('a bulk action counts, asks, and after the answer %s does what it says', async (answer) => {
    await ended('failing');
    const bulk = startInTerminal(['bulk', 'delete', '--tag', tag], env);
    await bulk.shows('delete it? [y/N] ');
    expect(bulk.stdout()).toContain('1 job matches.');
    bulk.type(`${answer}\r`);

    expect(await bulk.ended).toBe(0);
    expect((await at.client.jobs.list({ tag })).data).toHaveLength(answer === 'y' ? 0 : 1);
    if (answer === 'y') expect(bulk.stdout()).toMatch(/delete \[=+\] 1\/1/);
    else expect(bulk.stdout()).toContain('Nothing was done.');
  });

  it.each([
    ['wait', []],
    ['logs', ['--follow']],
  ])('Ctrl-C ends jobline %s with 130 and not the job', async (name, args) => {
    const { id } = await at.client.jobs.submit('held', {});
    const command = startInTerminal([name, id, ...args], env);
    await command.shows(name === 'wait' ? 'Waiting for job' : 'holding');
    command.type(CTRL_C);

    expect(await command.ended).toBe(130);
    expect(await at.client.jobs.get(id)).not.toMatchObject({ status: 'failed' });
  });

  it('Ctrl-C at a question ends the command with 130', async () => {
    await ended('failing');
    const bulk = startInTerminal(['bulk', 'delete', '--tag', tag], env);
    await bulk.shows('[y/N] ');
    bulk.type(CTRL_C);

    expect(await bulk.ended).toBe(130);
    expect((await at.client.jobs.list({ tag })).data).toHaveLength(1);
  });
});
