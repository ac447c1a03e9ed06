import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { finishedJob, makeDue, submitJob, until } from '../harness/index.js';
import { useJobPages } from './job-support.js';
import { passTime } from './page-pool.js';

const { allow, resume, memberOf, openJob, openPageAs, openRun, person, world } = useJobPages();

const badge = (page: Page, word: string) => page.getByRole('main').getByText(word, { exact: true }).first();
const attempt = (page: Page, name: RegExp) =>
  page.getByRole('region', { name: 'Attempts' }).getByRole('button', { name });

describe('a running job', () => {
  it('the job page follows a job from waiting to done, line by line', async () => {
    const run_at = new Date(Date.now() + 3_600_000).toISOString();
    const id = await submitJob(person(), 'in_steps', { order: 7 }, { run_at });
    const page = await openJob(id);
    await page.getByText('Waiting for the scheduled time. The log will appear here.').waitFor();
    await badge(page, 'Pending').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await makeDue(world().db, id);

    const log = page.getByRole('log');
    await log.getByText('step one').waitFor();
    await badge(page, 'Running').waitFor();
    expect(await log.getByText('step two').count()).toBe(0);
    resume();
    await log.getByText('step two').waitFor();
    await badge(page, 'Done').waitFor();
    await attempt(page, /^Attempt 1: done/).waitFor();
    await page.getByRole('tab', { name: 'Result' }).click();
    await page.getByRole('group', { name: 'Result' }).getByText('"steps"').waitFor();
    expect(await log.getByText('step one').count()).toBe(1);
    expect(await page.getByRole('button', { name: /^(Retry|Cancel)/ }).count()).toBe(0);
  });

  it('the job page polls if the stream is not available', async () => {
    allow(/status of 503/);
    const id = await submitJob(person(), 'in_steps', {});
    const page = await openPageAs(person(), '/', { hasClock: true });
    await page.route('**/jobs/*/events', (route) => route.fulfill({ status: 503, body: '' }));
    await page.goto(`/job/${id}`);
    await passTime(page, page.getByText('Polling', { exact: true }));
    resume();
    await passTime(page, page.getByRole('log').getByText('step two'));
    await passTime(page, badge(page, 'Done'));
    expect(await page.getByRole('log').getByText('step one').count()).toBe(1);
  });

  it('a job is canceled with a key, shown as canceled, and can be retried', async () => {
    const page = await openJob(await submitJob(person(), 'in_steps', {}));
    await page.getByRole('log').getByText('step one').waitFor();
    await page.keyboard.press('c');

    await badge(page, 'Failed: canceled').waitFor();
    await page.getByText('the job was canceled').waitFor();
    await attempt(page, /^Attempt 1: canceled/).waitFor();
    await page.getByRole('button', { name: 'Retry' }).click();
    await attempt(page, /^Attempt 2: running/).waitFor();
    await page.getByRole('button', { name: 'Cancel', exact: true }).waitFor();
    resume();
    await badge(page, 'Done').waitFor();
  });

  it('a cancel request is shown until the job finishes', async () => {
    const page = await openJob(await submitJob(person(), 'in_steps', {}));
    await page.getByRole('log').getByText('step one').waitFor();
    // The response of the API while the worker has not stopped the job yet.
    await page.route('**/jobs/*/cancel', (route) =>
      route.fulfill({ status: 202, json: { id: 'x', status: 'processing' } }),
    );
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();

    await page.getByRole('button', { name: 'Cancel requested' }).waitFor();
    resume();
    await badge(page, 'Done').waitFor();
  });
});

describe('a failed job', () => {
  it('a failed job shows the meaning of its error, the next step and its attempts', async () => {
    const page = await openRun('fails_first', { fails: 9 }, { max_retries: 2 });
    await badge(page, 'Failed').waitFor();
    await page.getByText('the handler threw').waitFor();
    await page.getByText(/Fix the cause, then retry/).waitFor();
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

  it('a member can retry a failed job, and the attempts continue counting', async () => {
    const id = await submitJob(person(), 'fails_first', { fails: 1 });
    await finishedJob(person(), id);
    const page = await openJob(id, {}, await memberOf(person()));
    await page.getByRole('button', { name: 'Retry' }).waitFor();
    await page.keyboard.press('r');

    await attempt(page, /^Attempt 2: done/).waitFor();
    await badge(page, 'Done').waitFor();
  });

  it('a retry that may repeat an external effect needs a confirmation', async () => {
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
    await question.getByRole('button', { name: 'Retry anyway' }).click();
    await attempt(page, /^Attempt 2/).waitFor();
  });
});
