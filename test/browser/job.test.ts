import { createCatalogue, defineHandler, PermanentError } from '@jobline/handlers';
import type { Page } from 'playwright-core';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { finishedJob, type Person, register, submitJob, until } from '../harness/index.js';
import { photo } from '../image/samples.js';
import { expectAccessible, LOOKS, screenshot, usePages } from './support.js';

const { allow, api, openPageAs, world } = usePages();

let person: Person;
/** Lets the handlers that wait write their next line. */
let goOn: () => void;
let held: Promise<void>;
let imageUrl: string;

const PDF = Buffer.from(
  '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n' +
    '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF',
);

const handlers = [
  defineHandler({
    type: 'in_steps',
    async run(_payload, { log, signal }) {
      log('info', 'step one');
      await Promise.race([
        held,
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      ]);
      log('info', 'step two');
      return { steps: 2 };
    },
  }),
  defineHandler<{ fails: number }>({
    type: 'fails_first',
    async run({ fails }, { attempt, log }) {
      log('warn', `try ${attempt}`);
      if (attempt <= fails) throw new Error(`not on try ${attempt}`);
      return { tries: attempt };
    },
  }),
  defineHandler<{ lines: number; bytes: number }>({
    type: 'talks',
    async run({ lines, bytes }, { log }) {
      for (let n = 1; n <= lines; n++) log('info', `${n} ${'x'.repeat(bytes)}`);
    },
  }),
  defineHandler({
    type: 'files',
    async run(_payload, { saveArtifact }) {
      await saveArtifact({ name: 'paper.pdf', contentType: 'application/pdf', bytes: PDF });
      await saveArtifact({
        name: 'page.html',
        contentType: 'text/html',
        bytes: Buffer.from('<script>alert(1)</script>'),
      });
    },
  }),
  defineHandler({
    type: 'unsure',
    async run() {
      throw new PermanentError('the connection broke amid the call');
    },
  }),
];

beforeAll(async () => {
  const source = await photo(1_200, 800).jpeg({ quality: 95 }).toBuffer();
  const images = await world().receiver(() => ({ body: source, headers: { 'content-type': 'image/jpeg' } }));
  imageUrl = `${images.url}/photo.jpg`;
  await world().worker({
    catalogue: createCatalogue([...createCatalogue().values(), ...handlers]),
    allowHosts: [images.host],
    retryBaseMs: 300,
  });
});

beforeEach(async () => {
  person = await register(api().call);
  held = new Promise((resolve) => {
    goOn = resolve;
  });
});

const badge = (page: Page, word: string) => page.getByRole('main').getByText(word, { exact: true }).first();
const attempt = (page: Page, name: RegExp) =>
  page.getByRole('region', { name: 'Attempts' }).getByRole('button', { name });
const openJob = (id: string, look?: Parameters<typeof openPageAs>[2], as = person) =>
  openPageAs(as, `/job/${id}`, look);

/** Loads the page anew in a browser that says it shows PDFs, as iOS does wherever it is. */
async function claimPdfViewer(page: Page): Promise<void> {
  await page.addInitScript(() => Object.defineProperty(Navigator.prototype, 'pdfViewerEnabled', { get: () => true }));
  await page.reload();
}

async function openRun(type: string, payload: object, more?: object): Promise<Page> {
  const id = await submitJob(person, type, payload, more);
  await finishedJob(person, id);
  return openJob(id);
}

describe('a job that runs', () => {
  it('is watched from waiting to done, line by line', async () => {
    const run_at = new Date(Date.now() + 3_000).toISOString();
    const page = await openJob(await submitJob(person, 'in_steps', { order: 7 }, { run_at }));
    await page.getByText('Waiting for its time; the log starts here.').waitFor();
    await badge(page, 'Pending').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();

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
    const id = await submitJob(person, 'in_steps', {});
    const page = await openPageAs(person, '/');
    await page.route('**/jobs/*/events', (route) => route.fulfill({ status: 503, body: '' }));
    await page.goto(`/job/${id}`);
    await page.getByText('Polling', { exact: true }).waitFor();
    goOn();
    await page.getByRole('log').getByText('step two').waitFor();
    await badge(page, 'Done').waitFor();
    expect(await page.getByRole('log').getByText('step one').count()).toBe(1);
  });

  it('is canceled by a key, says so until it ends, and then runs again', async () => {
    const page = await openJob(await submitJob(person, 'in_steps', {}));
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
    const page = await openJob(await submitJob(person, 'in_steps', {}));
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
    const id = await submitJob(person, 'fails_first', { fails: 1 });
    await finishedJob(person, id);
    const member = await register(api().call);
    const { user } = (await member.get('/auth/me')).body;
    await world().db.membership.create({ data: { orgId: person.orgId, userId: user.id, role: 'member' } });
    const { token } = (await member.post('/auth/switch', { org_id: person.orgId })).body;
    const page = await openJob(id, {}, { ...member, token });
    await page.getByRole('button', { name: 'Retry' }).waitFor();
    await page.keyboard.press('r');

    await attempt(page, /^Attempt 2: done/).waitFor();
    await badge(page, 'Done').waitFor();
  });

  it('asks first where a retry may do something twice', async () => {
    const id = await submitJob(person, 'unsure', {});
    await finishedJob(person, id);
    await world().db.$executeRaw`UPDATE jobs SET error_code = 'unknown_effect' WHERE id = ${id}`;
    const page = await openJob(id);
    await page.getByRole('button', { name: 'Retry' }).click();
    const question = page.getByRole('alertdialog');
    await question.getByText('this does it twice').waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    expect((await person.get(`/jobs/${id}`)).body.status).toBe('failed');
    await page.keyboard.press('r');
    await question.getByRole('button', { name: 'Retry all the same' }).click();
    await attempt(page, /^Attempt 2/).waitFor();
  });
});

describe('the log', () => {
  it('holds a thousand lines, and the longest ones, without scrolling the page sideways', async () => {
    const page = await openRun('talks', { lines: 1_100, bytes: 8 });
    const log = page.getByRole('log');
    await log.getByText('the rest of this attempt').waitFor();
    expect(await log.locator('time').count()).toBeGreaterThan(1_000);

    const long = await openJob(await submitJob(person, 'talks', { lines: 2, bytes: 9_000 }), { width: 375 });
    await long.getByRole('log').getByText('succeeded').waitFor();
    const sideways = () => long.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(await sideways()).toBeLessThanOrEqual(0);
    await long.keyboard.press('w');
    expect(await long.getByRole('button', { name: 'Wrap lines' }).getAttribute('aria-pressed')).toBe('false');
    expect(await sideways()).toBeLessThanOrEqual(0);
  });

  it('is of a job whose id and type are as long as they may be, on a phone too', async () => {
    const [id, type] = ['i'.repeat(128), 't'.repeat(128)];
    await submitJob(person, type, {}, { id });
    await finishedJob(person, id);
    const page = await openJob(id, { width: 375 });
    await page.getByText('no live worker has a handler for the type').waitFor();
    await page.getByText('It was never started.').waitFor();
    await expectAccessible(page);
  });

  it('says why it is empty, and what failed where it could not be loaded', async () => {
    allow(/status of 503/);
    const id = await submitJob(person, 'talks', { lines: 1, bytes: 1 });
    await finishedJob(person, id);
    const page = await openPageAs(person, '/');
    await page.route('**/jobs/*/events', (route) => route.fulfill({ status: 404, json: {} }));
    await page.route('**/jobs/*/logs?*', (route) => route.fulfill({ json: [] }));
    await page.goto(`/job/${id}`);
    await page.getByText('It wrote nothing.').waitFor();

    await page.unroute('**/jobs/*/logs?*');
    await page.route('**/jobs/*/logs?*', (route) => route.fulfill({ status: 503, body: 'down' }));
    await page.reload();
    const log = page.getByRole('log');
    await log.getByRole('alert').waitFor();
    await page.unroute('**/jobs/*/logs?*');
    await log.getByRole('button', { name: 'Try again' }).click();
    await log.getByText('attempt 1 started').waitFor();
  });
});

describe('its files', () => {
  it('show a picture with what was saved, and take it with them when one leaves', async () => {
    const id = await submitJob(person, 'compress_image', { url: imageUrl, width: 300, quality: 60 });
    const { result } = await finishedJob(person, id);
    expect(result.status).toBe('done');
    const page = await openJob(`${id}?tab=files`);
    const image = page.getByRole('img', { name: 'compressed.jpg' });
    await until('the picture is drawn', () => image.evaluate((img: HTMLImageElement) => img.naturalWidth === 300));
    await page.getByText(/→.*−\d+%/).waitFor();
    const url = await image.getAttribute('src');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download compressed.jpg' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('compressed.jpg');
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

  it('show a PDF where the browser can, and never what could hold script', async () => {
    const id = await submitJob(person, 'files', {});
    await finishedJob(person, id);
    const page = await openJob(`${id}?tab=files`);
    await page.getByText('page.html', { exact: true }).waitFor();
    expect(await page.locator('iframe').count()).toBe((await page.evaluate(() => navigator.pdfViewerEnabled)) ? 1 : 0);
    await claimPdfViewer(page);
    await page.locator('iframe[title="paper.pdf"][src^="blob:"]').waitFor();
    expect(await page.locator('iframe').count()).toBe(1);
    expect(await page.getByText('they could hold script').count()).toBe(1);

    const phone = await openJob(`${id}?tab=files`, { width: 375 });
    await claimPdfViewer(phone);
    await phone.getByText('paper.pdf', { exact: true }).waitFor();
    expect(await phone.locator('iframe').count()).toBe(0);
    await phone.getByText('download it').waitFor();
  });
});

describe('a job that is not shown', () => {
  it('is not found, whoever has it', async () => {
    const stranger = await register(api().call);
    const id = await submitJob(stranger, 'talks', { lines: 1, bytes: 1 });
    const page = await openJob(id);
    await page.getByRole('heading', { level: 1, name: 'There is no such job' }).waitFor();
    await page.getByRole('link', { name: 'Go to the jobs' }).click();
    await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
  });

  it('says that it loads, what failed, and comes when asked again', async () => {
    allow(/status of 503/);
    const id = await submitJob(person, 'talks', { lines: 1, bytes: 1 });
    const page = await openPageAs(person, '/');
    await page.route(`**/jobs/${id}`, (route) => route.fulfill({ status: 503, body: 'down' }));
    await page.goto(`/job/${id}`);
    await page.getByRole('status', { name: 'Loading the job' }).waitFor();
    await page.getByRole('alert').getByText('something between here and there').waitFor();
    await page.unroute(`**/jobs/${id}`);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { level: 1, name: 'talks' }).waitFor();
  });
});

it('is copied as a curl line that submits it anew', async () => {
  const page = await openRun('talks', { lines: 1, bytes: 1, note: "it's" });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: /Copy as curl/ }).click();
  await page.getByText('The curl line is copied').first().waitFor();
  const line = await page.evaluate(() => navigator.clipboard.readText());
  expect(line).toContain(`${api().url}/jobs`);
  expect(line).toContain(String.raw`it'\''s`);
});

describe.each(LOOKS)('in $theme at $width', (look) => {
  it('is accessible, whatever became of the job', async () => {
    const ids = {
      failed: await submitJob(person, 'fails_first', { fails: 9, note: 'x'.repeat(300) }, { max_retries: 2 }),
      done: await submitJob(person, 'compress_image', { url: imageUrl, width: 300 }),
      waiting: await submitJob(person, 'in_steps', {}, { run_at: new Date(Date.now() + 3_600_000).toISOString() }),
    };
    await finishedJob(person, ids.failed);
    await finishedJob(person, ids.done);
    const page = await openJob(ids.failed, look);
    await page.getByRole('log').getByText('no attempt follows').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'job-failed', look);

    await page.goto(`/job/${ids.done}?tab=files`);
    await page.getByRole('img', { name: 'compressed.jpg' }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'job-done', look);

    await page.goto(`/job/${ids.waiting}`);
    await page.getByText('Waiting for its time; the log starts here.').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'job-waiting', look);

    await page.goto('/job/no-such-job');
    await page.getByRole('heading', { level: 1, name: 'There is no such job' }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'job-missing', look);
  });
});
