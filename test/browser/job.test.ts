import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { finishedJob, makeDue, submitJob, until } from '../harness/index.js';
import { useJobPages } from './job-support.js';
import { passTime } from './page-pool.js';

const { allow, goOn, memberOf, openJob, openPageAs, openRun, person, world } = useJobPages();

const badge = (page: Page, word: string) => page.getByRole('main').getByText(word, { exact: true }).first();
const attempt = (page: Page, name: RegExp) =>
  page.getByRole('region', { name: 'Attempts' }).getByRole('button', { name });

describe('a job that runs', () => {
  it('is watched from waiting to done, line by line', async () => {
    const run_at = new Date(Date.now() + 3_600_000).toISOString();
    const id = await submitJob(person(), 'in_steps', { order: 7 }, { run_at });
    const page = await openJob(id);
    await page.getByText('Waiting for its time; the log starts here.').waitFor();
    await badge(page, 'Pending').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await makeDue(world().db, id);

    const log = page.getByRole('log');
    await log.getByText('step one').waitFor();
    await badge(page, 'Running').waitFor();
    expect(await log.getByText('step two').count()).toBe(0);
    goOn();
    await log.getByText('step two').waitFor();
    await badge(page, 'Done').waitFor();
    await attempt(page, /^Attempt 1: done/).waitFor();
    await page.getByRole('tab', { name: 'Result' }).click();
    await page.getByRole('group', { name: 'Result' }).getByText('"steps"').waitFor();
    expect(await log.getByText('step one').count()).toBe(1);
    expect(await page.getByRole('button', { name: /^(Retry|Cancel)/ }).count()).toBe(0);
  });

  it('goes on by polling where no stream comes through', async () => {
    allow(/status of 503/);
    const id = await submitJob(person(), 'in_steps', {});
    const page = await openPageAs(person(), '/', { hasClock: true });
    await page.route('**/jobs/*/events', (route) => route.fulfill({ status: 503, body: '' }));
    await page.goto(`/job/${id}`);
    await passTime(page, page.getByText('Polling', { exact: true }));
    goOn();
    await passTime(page, page.getByRole('log').getByText('step two'));
    await passTime(page, badge(page, 'Done'));
    expect(await page.getByRole('log').getByText('step one').count()).toBe(1);
  });

  it('is canceled by a key, says so until it ends, and then runs again', async () => {
    const page = await openJob(await submitJob(person(), 'in_steps', {}));
    await page.getByRole('log').getByText('step one').waitFor();
    await page.keyboard.press('c');

    await badge(page, 'Failed: canceled').waitFor();
    await page.getByText('somebody canceled the job').waitFor();
    await attempt(page, /^Attempt 1: canceled/).waitFor();
    await page.getByRole('button', { name: 'Retry' }).click();
    await attempt(page, /^Attempt 2: running/).waitFor();
    await page.getByRole('button', { name: 'Cancel', exact: true }).waitFor();
    goOn();
    await badge(page, 'Done').waitFor();
  });

  it('tells everybody that its cancel was asked for', async () => {
    const page = await openJob(await submitJob(person(), 'in_steps', {}));
    await page.getByRole('log').getByText('step one').waitFor();
    // The answer of a worker that takes its time.
    await page.route('**/jobs/*/cancel', (route) =>
      route.fulfill({ status: 202, json: { id: 'x', status: 'processing' } }),
    );
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();

    await page.getByRole('button', { name: 'Cancel requested' }).waitFor();
    goOn();
    await badge(page, 'Done').waitFor();
  });
});

describe('a job that failed', () => {
  it('says what that means and what to do, with its attempts to scale', async () => {
    const page = await openRun('fails_first', { fails: 9 }, { max_retries: 2 });
    await badge(page, 'Failed').waitFor();
    await page.getByText('the handler threw').waitFor();
    await page.getByText(/once its cause is mended, retry/i).waitFor();
    await page.getByText('2 of 2').waitFor();
    for (const n of [1, 2, 3]) await attempt(page, new RegExp(`^Attempt ${n}: failed after`)).waitFor();

    const log = page.getByRole('log');
    await attempt(page, /^Attempt 2/).click();
    await log.getByText('try 2', { exact: true }).waitFor();
    expect(await log.getByText('try 3').count()).toBe(0);
    expect(new URL(page.url()).searchParams.get('attempt')).toBe('2');
    await page.keyboard.press(']');
    await log.getByText('try 3', { exact: true }).waitFor();
    await page.keyboard.press(']');
    await until('no attempt is chosen', () => new URL(page.url()).search === '');
  });

  it('is retried by a member too, and its attempts go on counting', async () => {
    const id = await submitJob(person(), 'fails_first', { fails: 1 });
    await finishedJob(person(), id);
    const page = await openJob(id, {}, await memberOf(person()));
    await page.getByRole('button', { name: 'Retry' }).waitFor();
    await page.keyboard.press('r');

    await attempt(page, /^Attempt 2: done/).waitFor();
    await badge(page, 'Done').waitFor();
  });

  it('asks first where a retry may do something twice', async () => {
    const id = await submitJob(person(), 'unsure', {});
    await finishedJob(person(), id);
    await world().db.$executeRaw`UPDATE jobs SET error_code = 'unknown_effect' WHERE id = ${id}`;
    const page = await openJob(id);
    await page.getByRole('button', { name: 'Retry' }).click();
    const question = page.getByRole('alertdialog');
    await question.getByText('a retry does it twice').waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    expect((await person().get(`/jobs/${id}`)).body.status).toBe('failed');
    await page.keyboard.press('r');
    await question.getByRole('button', { name: 'Retry all the same' }).click();
    await attempt(page, /^Attempt 2/).waitFor();
  });
});
