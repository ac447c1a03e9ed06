import { createCatalogue, defineHandler } from '@jobline/handlers';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { finishedJob, type Person, register, submitJob, until } from '../harness/index.js';
import { expectAccessible, LOOKS, screenshot, usePages } from './support.js';

const { allow, api, openPageAs, world } = usePages();

/** Ends each gated job when the test says so. */
const gates = new Map<string, () => void>();
let isShaky = true;
const catalogue = createCatalogue([
  ...createCatalogue().values(),
  defineHandler<{ name: string }>({
    type: 'gated',
    run: ({ name }) => new Promise<null>((resolve) => gates.set(name, () => resolve(null))),
  }),
  defineHandler({
    type: 'shaky',
    run: async () => {
      if (isShaky) throw new Error('not yet');
      return null;
    },
  }),
]);
beforeAll(() => world().worker({ catalogue }));

const rows = (page: Page) => page.getByRole('table', { name: 'Jobs, newest first' }).locator('tbody tr');
const row = (page: Page, id: string) => page.locator(`[data-row-id="${id}"]`);
const figures = async (page: Page) => (await page.getByLabel('Jobs by status').textContent()) ?? '';
const isLive = (page: Page) => page.getByRole('status').getByText('Live').waitFor();
const newJobs = (page: Page, count: number) => page.getByRole('button', { name: `${count} new job` });

/** Jobs that nobody runs before tomorrow. */
async function waiting(person: Person, count: number, more: object = {}): Promise<string[]> {
  const job = { type: 'greet', payload: {}, run_at: new Date(Date.now() + 86_400_000).toISOString(), ...more };
  const answer = await person.post('/jobs/batch', { jobs: Array.from({ length: count }, () => job) });
  expect(answer.status, answer.text).toBe(202);
  return answer.body.jobs.map(({ id }: { id: string }) => id);
}

describe('somebody new', () => {
  it('runs a sample job with one click, and sees it end', async () => {
    const page = await openPageAs(await register(api().call), '/');
    await isLive(page);
    await page.getByRole('button', { name: 'Run a sample job' }).click();

    await rows(page).getByText('ai_summarize', { exact: true }).waitFor();
    await rows(page).getByText('Done').waitFor();
    await page.getByText('ai_summarize is submitted').first().waitFor();
    await until('the figure follows', async () => /Done1in 24 h/.test(await figures(page)));
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await page.waitForURL(/\/job\/./);
  });

  it('is given a command for programs, and sees what it submits without doing anything', async () => {
    const person = await register(api().call);
    const page = await openPageAs(person, '/');
    await isLive(page);
    const command = await page.getByRole('group', { name: 'curl' }).textContent();
    expect(command ?? '').toContain(`${api().url}/jobs`);
    const body = JSON.parse(/-d '(.*)'/s.exec(command ?? '')?.[1] ?? '');
    await person.post('/jobs', body);

    await rows(page).getByText('Done').waitFor();
  });
});

describe('a job', () => {
  it('is seen to wait, to run and to end, in its place', async () => {
    const person = await register(api().call);
    const [later] = await waiting(person, 1);
    const page = await openPageAs(person, '/');
    await isLive(page);
    await page.keyboard.press('n');
    const sheet = page.getByRole('dialog', { name: 'New job' });
    await sheet.getByLabel('Type').fill('gated');
    await page.getByRole('option', { name: /gated/ }).click();
    await sheet.getByLabel('Payload').fill('{"name": "first"}');
    await sheet.getByRole('button', { name: 'Submit job' }).click();

    await sheet.waitFor({ state: 'detached' });
    const first = rows(page).first();
    await first.getByText('gated', { exact: true }).waitFor();
    await first.getByText('Running').waitFor();
    (await until('the handler runs', () => gates.get('first')))();
    await first.getByText('Done').waitFor();
    expect(await rows(page).last().getAttribute('data-row-id')).toBe(later);
    expect(await newJobs(page, 1).count()).toBe(0);
  });
});

describe('jobs of others', () => {
  it('are counted, and move nothing while a row is hovered and two are selected', async () => {
    const person = await register(api().call);
    await waiting(person, 8);
    const page = await openPageAs(person, '/');
    await isLive(page);
    await rows(page).nth(2).getByRole('checkbox').click();
    await rows(page).nth(4).getByRole('checkbox').click();
    await rows(page).nth(3).hover();
    const places = () =>
      page.evaluate(() =>
        [...document.querySelectorAll('h1, [aria-label="Jobs by status"] a, figure, [data-row-id]')].map((element) => {
          const { x, y, width, height } = element.getBoundingClientRect();
          return [element.getAttribute('data-row-id'), x, y, width, height];
        }),
      );
    const before = await places();

    const ids = await waiting(person, 50);
    await page.getByRole('button', { name: '50 new jobs' }).waitFor();
    await until('the figures follow', async () => /58/.test(await figures(page)));
    expect(await places()).toEqual(before);
    await page.getByText('2 selected').first().waitFor();

    await page.keyboard.press('.');
    await until('the new ones are there', async () => (await rows(page).count()) === 58);
    expect(new Set(await rows(page).evaluateAll((all) => all.slice(0, 50).map((one) => one.dataset.rowId)))).toEqual(
      new Set(ids),
    );
    expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(2);
    await page.keyboard.press('Escape');
    await page.getByRole('region', { name: 'Selection' }).waitFor({ state: 'detached' });
  });

  it('that the filter leaves out are not counted', async () => {
    const person = await register(api().call);
    await waiting(person, 1);
    const page = await openPageAs(person, '/?type=greet');
    await isLive(page);
    await waiting(person, 3, { type: 'other' });
    await waiting(person, 1);

    await newJobs(page, 1).waitFor();
  });

  it('come by asking when the stream does not come through', async () => {
    const person = await register(api().call);
    await waiting(person, 1);
    allow(/status of 503/);
    const page = await openPageAs(person, '/email');
    await page.route('**/jobs/events', (route) => route.fulfill({ status: 503, body: '' }));
    await page.goto('/');
    await page.getByRole('status').getByText('Polling').waitFor();
    await waiting(person, 2);

    await page.getByRole('button', { name: '2 new jobs' }).waitFor();
  });
});

describe('the filters', () => {
  it('are in the address: figures set them, the browser goes back through them', async () => {
    const person = await register(api().call);
    await waiting(person, 2);
    const done = await submitJob(person, 'ai_summarize', { text: 'One. Two.' });
    await finishedJob(person, done);
    const page = await openPageAs(person, '/');
    await rows(page).nth(2).waitFor();
    await page.getByRole('link', { name: /^Done/ }).click();
    await until('one is left', async () => (await rows(page).count()) === 1);
    expect(new URL(page.url()).search).toBe('?status=done');
    expect(await page.getByRole('link', { name: /^Done/ }).getAttribute('aria-current')).not.toBeNull();

    await page.getByRole('link', { name: /^Failed/ }).click();
    await page.getByText('No failed jobs').waitFor();
    await page.goBack();
    await row(page, done).waitFor();
    await page.goBack();
    await until('all are back', async () => (await rows(page).count()) === 3);

    await page.getByRole('radio', { name: '7d' }).click();
    await page.getByRole('link', { name: /^Done.*in 7 d/ }).waitFor();
    expect(new URL(page.url()).search).toBe('?window=7d');
  });

  it('take a type of one’s own and a time in the reader’s zone, and are cleared at once', async () => {
    const person = await register(api().call);
    const [old] = await waiting(person, 1, { type: 'my.type' });
    await waiting(person, 1);
    const page = await openPageAs(person, '/');
    await page.getByRole('combobox', { name: 'Type' }).fill('my.type');
    await page.getByRole('option', { name: /my\.type/ }).click();
    await until('one is left', async () => (await rows(page).count()) === 1);
    await row(page, String(old)).waitFor();

    await page.getByRole('button', { name: /^Created/ }).click();
    const created = page.getByRole('dialog', { name: 'Created' });
    await created.getByText('GMT+3 · Africa/Nairobi').first().waitFor();
    await created.getByLabel('Before').fill('2020-01-01T03:00');
    await created.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('No my.type jobs in this time').waitFor();
    expect(new URL(page.url()).searchParams.get('created_before')).toBe('2020-01-01T00:00:00.000Z');

    await page.getByRole('button', { name: 'Clear filters' }).first().click();
    await until('all are back', async () => (await rows(page).count()) === 2);
    expect(new URL(page.url()).search).toBe('');
  });

  it('open a job by its id, and say which no job can have', async () => {
    const person = await register(api().call);
    const [id] = await waiting(person, 1);
    const page = await openPageAs(person, '/');
    await page.getByLabel('Open by id').fill('not/an/id');
    await page.keyboard.press('Enter');
    await page.getByText('No job can have that id.').waitFor();
    await page.getByLabel('Open by id').fill(String(id));
    await page.keyboard.press('Enter');

    await page.waitForURL(`**/job/${id}`);
  });

  it('keep older pages within reach', async () => {
    const person = await register(api().call);
    await waiting(person, 130);
    const page = await openPageAs(person, '/');
    await page.getByText('100 jobs shown').waitFor();
    await page.getByRole('button', { name: 'Load 100 older' }).click();

    await page.getByText('130 jobs, that is all').waitFor();
    expect(await rows(page).count()).toBe(130);
  });
});

describe('many jobs', () => {
  it('are retried at once, and those that have changed meanwhile are told apart', async () => {
    const person = await register(api().call);
    isShaky = true;
    const ids = await Promise.all(Array.from({ length: 3 }, () => submitJob(person, 'shaky', {})));
    await Promise.all(ids.map((id) => finishedJob(person, id)));
    const page = await openPageAs(person, '/?status=failed');
    await rows(page).nth(2).waitFor();
    await page.getByRole('checkbox', { name: 'Select all rows shown' }).click();
    const bar = page.getByRole('region', { name: 'Selection' });
    await bar.getByText('3 selected').waitFor();
    expect(await bar.getByRole('button', { name: 'Cancel 0' }).getAttribute('aria-disabled')).toBe('true');

    // One of them changes where this page does not hear of it in time.
    await page.route(`**/jobs/${ids[0]}/retry`, (route) =>
      route.fulfill({
        status: 409,
        contentType: 'application/json',
        body: JSON.stringify({ error: { code: 'conflict', message: 'It has not failed.', request_id: 'x' } }),
      }),
    );
    isShaky = false;
    await bar.getByRole('button', { name: 'Retry 3' }).click();
    await page.getByText('2 retried, 1 had already changed').first().waitFor();
    await until('they are done in their places', async () => (await rows(page).getByText('Done').count()) === 2);
    expect(await rows(page).count()).toBe(3);
    await bar.waitFor({ state: 'detached' });
  });

  it('are asked about when they are more than ten', async () => {
    const person = await register(api().call);
    await waiting(person, 11);
    const page = await openPageAs(person, '/');
    await rows(page).nth(10).waitFor();
    await page.getByRole('checkbox', { name: 'Select all rows shown' }).click();
    await page.getByRole('button', { name: 'Cancel 11' }).click();
    await page
      .getByRole('alertdialog', { name: 'Cancel 11 jobs?' })
      .getByRole('button', { name: /^Cancel 11/ })
      .click();

    await page.getByText('11 canceled').first().waitFor();
    await until('all have failed', async () => (await rows(page).getByText('Failed').count()) === 11);
  });

  it('are gone through, selected and retried with the keyboard alone', async () => {
    const person = await register(api().call);
    isShaky = true;
    const id = await submitJob(person, 'shaky', {});
    await finishedJob(person, id);
    await waiting(person, 1);
    const page = await openPageAs(person, '/');
    await isLive(page);
    await rows(page).nth(1).waitFor();
    isShaky = false;
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByText('1 selected').first().waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('r');
    await row(page, id).getByText('Done').waitFor();
    await page.keyboard.press('k');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');

    await page.waitForURL(`**/job/${id}`);
  });
});

describe('a new job', () => {
  it('is refused at the field that is wrong, and nothing that was typed is lost', async () => {
    const page = await openPageAs(await register(api().call), '/');
    await page.keyboard.press('n');
    const sheet = page.getByRole('dialog', { name: 'New job' });
    const payload = sheet.getByLabel('Payload');
    await payload.fill('{"text": ');
    await sheet.getByRole('button', { name: 'Submit job' }).click();
    await sheet.getByText(/^Not JSON yet/).waitFor();

    await sheet.getByLabel('Type').fill('send_sms');
    await page.getByRole('option', { name: /^send_sms/ }).click();
    await payload.fill('{"to": "nobody", "message": ""}');
    await sheet.getByRole('button', { name: 'Submit job' }).click();
    const described = sheet.getByRole('textbox', { name: 'Payload', description: /payload\.to: .*payload\.message: / });
    await described.waitFor();
    await until('the field has the focus', () => payload.evaluate((field) => field === document.activeElement));

    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('');
    await page.reload();
    await page.getByRole('button', { name: 'New job' }).click();
    expect(await payload.inputValue()).toBe('{"to": "nobody", "message": ""}');
    await sheet.getByRole('button', { name: 'Discard draft' }).click();
    await until('the example is back', async () => /A queue takes/.test(await payload.inputValue()));
  });

  it('begins with an example of its type that the API takes, whichever it is', async () => {
    const person = await register(api().call);
    const page = await openPageAs(person, '/');
    await page.keyboard.press('n');
    const sheet = page.getByRole('dialog', { name: 'New job' });
    await sheet.getByLabel('Type').click();
    const types = await page.getByRole('option').locator('span > :first-child').allTextContents();
    expect(types).toHaveLength(9);
    for (const type of types) {
      await sheet.getByLabel('Type').fill(type);
      await page.getByRole('option', { name: type }).click();
      const payload = JSON.parse(await sheet.getByLabel('Payload').inputValue());
      const run_at = new Date(Date.now() + 86_400_000).toISOString();
      expect((await person.post('/jobs', { type, payload, run_at })).status, type).toBe(202);
    }
  });

  it('is made once, however often it is sent', async () => {
    const person = await register(api().call);
    const page = await openPageAs(person, '/');
    await page.keyboard.press('n');
    const sheet = page.getByRole('dialog', { name: 'New job' });
    allow(/ERR_FAILED|Failed to fetch/);
    await page.route(
      '**/jobs',
      async (route) => {
        if (route.request().method() !== 'POST') return route.fallback();
        await route.fetch(); // it arrives, and its answer is lost
        await route.abort();
      },
      { times: 1 },
    );
    await sheet.getByRole('button', { name: 'Submit job' }).click();
    await sheet.getByText(/cannot be reached/).waitFor();
    await sheet.getByRole('button', { name: 'Submit job' }).click();
    await sheet.waitFor({ state: 'detached' });

    await rows(page).first().waitFor();
    expect((await person.get('/jobs')).body).toHaveLength(1);
  });
});

describe('an outage', () => {
  it('is told in the place of what is missing, with a way on', async () => {
    const person = await register(api().call);
    await waiting(person, 1);
    allow(/status of 500/);
    const page = await openPageAs(person, '/email');
    const fault = { error: { code: 'internal', message: 'Something failed here.', request_id: 'req-1' } };
    const broken = { status: 500, contentType: 'application/json', headers: { 'X-Request-Id': 'req-1' } };
    await page.route(/\/(jobs\?|stats\/)/, (route) => route.fulfill({ ...broken, body: JSON.stringify(fault) }));
    await page.goto('/');
    await page.getByText('The jobs could not be loaded. Something failed here.').waitFor({ timeout: 25_000 });
    await page.getByText('The figures could not be loaded.').waitFor({ timeout: 25_000 });
    expect(await page.getByText('req-1').count()).toBe(2);

    await page.unroute(/\/(jobs\?|stats\/)/);
    await page.getByRole('button', { name: 'Try again' }).first().click();
    await page.getByRole('link', { name: /^Waiting\s*1/ }).waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await rows(page).first().waitFor();
  });
});

it('a member does all of it, but is not sent to the keys', async () => {
  const [owner, person] = [await register(api().call), await register(api().call)];
  const { user } = (await person.get('/auth/me')).body;
  await world().db.membership.create({ data: { orgId: owner.orgId, userId: user.id, role: 'member' } });
  const switched = await person.post('/auth/switch', { org_id: owner.orgId });
  const page = await openPageAs({ ...person, token: switched.body.token }, '/');
  await page.getByText(/ask an owner or admin for an API key/).waitFor();
  await page.getByRole('button', { name: 'Run a sample job' }).click();

  await rows(page).getByText('Done').waitFor();
});

describe.each(LOOKS)('in $theme at $width', (look) => {
  it('is accessible empty, full, selected and with a new job', async () => {
    const person = await register(api().call);
    const page = await openPageAs(person, '/', look);
    await page.getByRole('button', { name: 'Run a sample job' }).waitFor();
    await page.waitForLoadState('load');
    await expectAccessible(page);
    await screenshot(page, 'jobs-empty', look);

    isShaky = true;
    const failing = Array.from({ length: 3 }, () => submitJob(person, 'shaky', {}));
    const long = submitJob(person, 'a.type:with-'.padEnd(128, 'x'), {}, { id: 'an-id-'.padEnd(128, 'y') });
    const ids = await Promise.all([...failing, long, submitJob(person, 'ai_summarize', { text: 'One. Two.' })]);
    await Promise.all(ids.map((id) => finishedJob(person, id)));
    await submitJob(person, 'gated', { name: `look-${look.theme}-${look.width}` });
    await waiting(person, 12, { type: 'send_sms', payload: { to: '+254700000001', message: 'Hello' }, max_retries: 3 });
    await page.reload();
    await page.getByRole('link', { name: /^Running\s*1/ }).waitFor();
    await page.locator('[data-row-id]').nth(12).waitFor();
    await page.locator('.recharts-bar-rectangle').first().waitFor();
    await expectAccessible(page);
    await screenshot(page, 'jobs', look);
    await page.locator('[data-row-id]').nth(1).getByRole('checkbox').click();
    await page.locator('[data-row-id]').nth(3).getByRole('checkbox').click();
    await expectAccessible(page);
    await screenshot(page, 'jobs-selected', look);

    await page.goto('/?status=failed&type=nothing');
    await page.getByText('No failed nothing jobs').waitFor();
    await screenshot(page, 'jobs-none', look);
    await page.goto('/?new=1');
    await page.getByRole('dialog', { name: 'New job' }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'jobs-new', look);
    gates.get(`look-${look.theme}-${look.width}`)?.();
  });
});
