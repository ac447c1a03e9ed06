import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { finishedJob, register, submitJob, until } from '../harness/index.js';
import { useJobPages } from './job-support.js';
import { expectAccessible, expectAccessibleInEveryLook, NARROW, WIDE } from './looks.js';
import { passTime } from './page-pool.js';
import { signIn } from './support.js';

const { allow, api, context, imageUrl, openJob, openPageAs, openRun, person } = useJobPages();

/** Opens the files of a job in a browser that reports a PDF viewer, as iOS does even in frames. */
async function openFilesWithPdfViewer(id: string, width: number): Promise<Page> {
  const page = await (await context({ width })).newPage(); // an init script cannot be removed
  await page.addInitScript(() => Object.defineProperty(Navigator.prototype, 'pdfViewerEnabled', { get: () => true }));
  await signIn(page, person());
  await page.goto(`/job/${id}?tab=files`);
  return page;
}

describe('the job log', () => {
  it('a log with a thousand lines or very long lines does not make the page scroll sideways', async () => {
    const page = await openRun('talks', { lines: 1_100, bytes: 8 });
    const log = page.getByRole('log');
    await log.getByText('the log of this attempt is cut').waitFor();
    expect(await log.locator('time').count()).toBeGreaterThan(1_000);

    const long = await openJob(await submitJob(person(), 'talks', { lines: 2, bytes: 9_000 }), { width: 375 });
    await long.getByRole('log').getByText('succeeded').waitFor();
    const sideways = () => long.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(await sideways()).toBeLessThanOrEqual(0);
    await long.keyboard.press('w');
    expect(await long.getByRole('button', { name: 'Wrap lines' }).getAttribute('aria-pressed')).toBe('false');
    expect(await sideways()).toBeLessThanOrEqual(0);
  });

  it('the page of a job with the longest id and type is accessible on a phone', async () => {
    const [id, type] = ['i'.repeat(128), 't'.repeat(128)];
    await submitJob(person(), type, {}, { id });
    await finishedJob(person(), id);
    const page = await openJob(id, { width: 375 });
    await page.getByText('no worker ever had a handler for the type').waitFor();
    await page.getByText('The job was never started.').waitFor();
    await expectAccessible(page);
  });

  it('the fields of a payload that were ignored are in view when the page opens, on a phone too', async () => {
    const payload = { to: '+254711000111', message: 'Hi', cc: 'x', sender_id: 'ACME' };
    const id = await submitJob(person(), 'send_sms', payload);
    await finishedJob(person(), id);
    for (const width of [WIDE, NARROW]) {
      const page = await openJob(id, { width });
      const line = page.getByRole('log').getByText('ignored: cc, sender_id');
      await line.waitFor();
      await page.getByRole('log').getByText('succeeded').waitFor();
      const { top, bottom } = await line.evaluate((element) => element.getBoundingClientRect().toJSON());
      expect(top).toBeGreaterThan(0);
      expect(bottom).toBeLessThan(await page.evaluate(() => innerHeight));
    }
  });

  it('the log is dated and can be downloaded, and the page of a finished job is not called live', async () => {
    const page = await openRun('talks', { lines: 2, bytes: 3 });
    const { id, created_at } = (await person().get('/jobs')).body[0];
    const log = page.getByRole('log');
    await log.getByText('2 xxx').waitFor();
    const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'Africa/Nairobi' });
    expect(await log.getByText(day.format(new Date(created_at)), { exact: true }).count()).toBe(1);
    expect(await page.getByText('Live', { exact: true }).count()).toBe(0);
    expect(await page.title()).toMatch(/^talks .{4,}…?.* · Jobline$/);
    await page.getByRole('main').getByText(id, { exact: true }).waitFor();

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download the log' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`${id}.log`);
    expect(readFileSync(await download.path(), 'utf8')).toMatch(/^\d{4}-\S+Z INFO #1 .*Z INFO #1 2 xxx\n.*\n$/s);
  });

  it('an empty log says why, and a failed log can be loaded again', async () => {
    allow(/status of 503/);
    const id = await submitJob(person(), 'talks', { lines: 1, bytes: 1 });
    await finishedJob(person(), id);
    const page = await openPageAs(person(), '/', { hasClock: true });
    await page.route('**/jobs/*/events', (route) => route.fulfill({ status: 404, json: {} }));
    await page.route('**/jobs/*/logs?*', (route) => route.fulfill({ json: [] }));
    await page.goto(`/job/${id}`);
    await page.getByText('The job wrote no log lines.').waitFor();

    await page.unroute('**/jobs/*/logs?*');
    await page.route('**/jobs/*/logs?*', (route) => route.fulfill({ status: 503, body: 'down' }));
    await page.reload();
    const log = page.getByRole('log');
    await passTime(page, log.getByRole('alert'));
    await page.unroute('**/jobs/*/logs?*');
    await log.getByRole('button', { name: 'Try again' }).click();
    await log.getByText('attempt 1 started').waitFor();
  });
});

describe('the job files', () => {
  it('an image is previewed with its saved size, and its blob URL is revoked when the panel closes', async () => {
    const id = await submitJob(person(), 'compress_image', { url: imageUrl(), width: 300, quality: 60 });
    const { result } = await finishedJob(person(), id);
    expect(result.status).toBe('done');
    const page = await openJob(`${id}?tab=files`);
    const image = page.getByRole('img', { name: 'compressed-300.jpg' });
    await until('the image is loaded', () => image.evaluate((img: HTMLImageElement) => img.naturalWidth === 300));
    await page.getByText(/→.*−\d+%/).waitFor();
    const url = await image.getAttribute('src');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download compressed-300.jpg' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('compressed-300.jpg');
    await page.keyboard.press('2');
    await image.waitFor({ state: 'detached' });
    allow(/ERR_FILE_NOT_FOUND|Failed to load resource|Not allowed|refused|Content Security Policy/i);
    expect(
      await page.evaluate(
        (gone) =>
          new Promise((resolve) => {
            const probe = new Image();
            probe.onload = () => resolve('there');
            probe.onerror = () => resolve('gone');
            probe.src = String(gone);
          }),
        url,
      ),
    ).toBe('gone');
  });

  it('PDFs are previewed only if the browser supports it, and files that could contain scripts never are', async () => {
    const id = await submitJob(person(), 'files', {});
    await finishedJob(person(), id);
    const page = await openJob(`${id}?tab=files`);
    await page.getByText('page.html', { exact: true }).waitFor();
    expect(await page.locator('iframe').count()).toBe((await page.evaluate(() => navigator.pdfViewerEnabled)) ? 1 : 0);

    const viewer = await openFilesWithPdfViewer(id, WIDE);
    await viewer.locator('iframe[title="paper.pdf"][src^="blob:"]').waitFor();
    expect(await viewer.locator('iframe').count()).toBe(1);
    expect(await viewer.getByText('they could contain scripts').count()).toBe(1);

    const phone = await openFilesWithPdfViewer(id, NARROW);
    await phone.getByText('paper.pdf', { exact: true }).waitFor();
    expect(await phone.locator('iframe').count()).toBe(0);
    await phone.getByText('Download the file').waitFor();
  });
});

describe('a job that cannot be shown', () => {
  it('a job of another organization is reported as not found', async () => {
    const stranger = await register(api().call);
    const id = await submitJob(stranger, 'talks', { lines: 1, bytes: 1 });
    const page = await openJob(id);
    await page.getByRole('heading', { level: 1, name: 'Job not found' }).waitFor();
    await page.getByRole('link', { name: 'Go to the jobs' }).click();
    await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
  });

  it('the job page shows loading and error states and loads after a retry', async () => {
    allow(/status of 503/);
    const id = await submitJob(person(), 'talks', { lines: 1, bytes: 1 });
    const page = await openPageAs(person(), '/', { hasClock: true });
    await page.route(`**/jobs/${id}`, (route) => route.fulfill({ status: 503, body: 'down' }));
    await page.goto(`/job/${id}`);
    await page.getByRole('status', { name: 'Loading the job' }).waitFor();
    await passTime(page, page.getByRole('alert').getByText('A proxy on the way may be down'));
    await page.unroute(`**/jobs/${id}`);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { level: 1, name: 'talks' }).waitFor();
  });
});

it('a job can be copied as a curl command that submits it again', async () => {
  const page = await openRun('talks', { lines: 1, bytes: 1, note: "it's" });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: /Copy as curl/ }).click();
  await page.getByText('Curl command copied').first().waitFor();
  const line = await page.evaluate(() => navigator.clipboard.readText());
  expect(line).toContain(`${api().url}/jobs`);
  expect(line).toContain(String.raw`it'\''s`);
});

it('the job page is accessible in every theme and width: failed, done, waiting and missing', async () => {
  const ids = {
    failed: await submitJob(person(), 'fails_first', { fails: 9, note: 'x'.repeat(300) }, { max_retries: 2 }),
    done: await submitJob(person(), 'compress_image', { url: imageUrl(), width: 300 }),
    waiting: await submitJob(person(), 'in_steps', {}, { run_at: new Date(Date.now() + 3_600_000).toISOString() }),
  };
  await finishedJob(person(), ids.failed);
  await finishedJob(person(), ids.done);
  const page = await openJob(ids.failed);
  await expectAccessibleInEveryLook(page, 'job-failed', page.getByRole('log').getByText('no attempt follows'));

  await page.goto(`/job/${ids.done}?tab=files`);
  await expectAccessibleInEveryLook(page, 'job-done', page.getByRole('img', { name: 'compressed-300.jpg' }));

  await page.goto(`/job/${ids.waiting}`);
  await page.getByText('Waiting for the scheduled time. The log will appear here.').waitFor();
  await expectAccessibleInEveryLook(page, 'job-waiting', page.getByText('Live', { exact: true }));

  await page.goto('/job/no-such-job');
  const missing = page.getByRole('heading', { level: 1, name: 'Job not found' });
  await expectAccessibleInEveryLook(page, 'job-missing', missing);
});
