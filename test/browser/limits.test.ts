import { createCatalogue } from '@jobline/handlers';
import type { Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Person, register, submitJob, until } from '../harness/index.js';
import { createNamedJobs } from '../journey/named-jobs.js';
import { DEFAULT_LOOK, expectAccessibleInEveryLook, screenshot } from './looks.js';
import { passTime } from './page-pool.js';
import { usePages } from './support.js';
import { addMember, fail, hold } from './team-support.js';

const { allow, api, openPageAs, world } = usePages();
const jobs = createNamedJobs(['called', 'printed']);
beforeAll(() => world().worker({ catalogue: createCatalogue(jobs.handlers), concurrency: 10 }));
afterEach(() => jobs.reset());

const row = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(`^${name}`) });
const dialog = (page: Page) => page.getByRole('dialog');

async function setLimit(person: Person, name: string, settings: object): Promise<void> {
  const answer = await person.put(`/org/limits/${name}`, settings);
  expect(answer.status, answer.text).toBe(200);
}

const submit = (person: Person, name: string, more: object = {}, type = 'called') =>
  submitJob(person, type, { name }, more);
const field = (page: Page, name: string) => dialog(page).getByRole('textbox', { name });
const types = (page: Page) => dialog(page).getByRole('combobox', { name: 'Job types' });

describe('the list of limits', () => {
  it('a limit is added, rejected with the field of each mistake, edited in place, and deleted', async () => {
    const owner = await register(api().call);
    const page = await openPageAs(owner, '/limits');
    await page.getByText('No limits. Jobs start as soon as a worker is free.').waitFor();
    await page.getByRole('main').getByRole('button', { name: 'Add limit' }).first().click();
    await field(page, 'Name').fill('Not a name!');
    await types(page).fill('called, printed');
    await field(page, 'At a time').fill('many');
    await page.keyboard.press('Enter');
    await dialog(page)
      .getByRole('textbox', { name: 'At a time', description: /Enter a number/ })
      .waitFor();
    await field(page, 'At a time').fill('3');
    await page.keyboard.press('Enter');
    await dialog(page).getByRole('textbox', { name: 'Name', description: /must/i }).waitFor();
    await field(page, 'Name').fill('crm-api');
    await page.keyboard.press('Enter');
    await row(page, 'crm-api').getByText('0 of 3').waitFor();
    await row(page, 'crm-api').getByText('3 at a time').waitFor();

    await page.getByRole('link', { name: 'crm-api' }).click();
    const detail = page.getByRole('region', { name: 'crm-api' });
    await detail.getByText('called, printed, and jobs with the limit crm-api').waitFor();
    await detail.getByRole('button', { name: 'Edit limit' }).click();
    await field(page, 'Per second').fill('0.5');
    await dialog(page).getByRole('radio', { name: 'Each key by itself, in strict order' }).click();
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await detail.getByText('1 at a time · 0.5 per second, 1 at once · for each key, in order').waitFor();
    const [limit] = (await owner.get('/org/limits')).body;
    expect(limit).toMatchObject({ concurrency: 1, per_second: 0.5, per: 'key', ordered: true });

    await detail.getByRole('button', { name: 'Delete limit' }).click();
    await page
      .getByRole('alertdialog', { name: 'Delete the limit crm-api?' })
      .getByText(/start without it/)
      .waitFor();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No limits.').waitFor();
    expect((await owner.get('/org/limits')).body).toEqual([]);
    expect(new URL(page.url()).search).toBe('');
  });

  it('types of live workers are suggested, and those that no worker handles are named', async () => {
    const page = await openPageAs(await register(api().call), '/limits');
    await page.keyboard.press('n');
    const typesWith = (description: RegExp) =>
      dialog(page).getByRole('combobox', { name: 'Job types', description }).waitFor();
    await typesWith(/^All jobs of these types/);
    await types(page).fill('called, send_smss, printd');
    await typesWith(/^No live worker handles send_smss, printd\./);
    await expectAccessibleInEveryLook(page, 'limit-warning', dialog(page).getByText(/^No live worker/));
    await types(page).fill('called, pri');
    await dialog(page).locator('datalist option[value="called, printed"]').waitFor({ state: 'attached' });
    await types(page).fill('called, printed');
    await typesWith(/^All jobs of these types/);
  });

  it('a mistake that concerns no single field is explained, and a name that is in use is rejected', async () => {
    allow(/status of 400/);
    const owner = await register(api().call);
    await setLimit(owner, 'crm-api', { types: ['called'], paused: true });
    const page = await openPageAs(owner, '/limits');
    await row(page, 'crm-api').waitFor();
    await page.keyboard.press('n');
    await field(page, 'Name').fill('crm-api');
    await types(page).fill('called');
    await page.keyboard.press('Enter');
    await dialog(page)
      .getByRole('textbox', { name: 'Name', description: /There is a limit of this name/ })
      .waitFor();
    await field(page, 'Name').fill('other');
    await page.keyboard.press('Enter');
    await dialog(page).getByRole('textbox', { name: 'At a time', description: /needs/ }).waitFor();
    await field(page, 'Burst').fill('5');
    await field(page, 'At a time').fill('2');
    await page.keyboard.press('Enter');
    await dialog(page)
      .getByRole('textbox', { name: 'Burst', description: /per_second/ })
      .waitFor();
    expect((await owner.get('/org/limits')).body).toHaveLength(1);
  });

  it('an edit does not resume a limit that another user has paused meanwhile', async () => {
    const owner = await register(api().call);
    await setLimit(owner, 'shared', { types: ['called'], per_second: 0.5 });
    const page = await openPageAs(owner, '/limits?name=shared');
    await page.getByRole('button', { name: 'Edit limit' }).click();
    await owner.patch('/org/limits/shared', { paused: true });
    await field(page, 'Per second').fill('50');
    await page.keyboard.press('Enter');
    await dialog(page).waitFor({ state: 'detached' });
    const [limit] = (await owner.get('/org/limits')).body;
    expect(limit).toMatchObject({ paused: true, per_second: 50, burst: 50 });
  });

  it('the running and waiting jobs are counted live, and a paused limit is resumed in one click', async () => {
    jobs.isHeld = true;
    const owner = await register(api().call);
    await setLimit(owner, 'live', { types: ['called'], concurrency: 2 });
    const page = await openPageAs(owner, '/limits');
    await row(page, 'live').getByText('0 of 2').waitFor();
    for (const name of ['1', '2', '3']) await submit(owner, `live:${name}`);
    await row(page, 'live').getByText('2 of 2').waitFor();
    await row(page, 'live').getByRole('cell', { name: '1', exact: true }).waitFor();

    await page.getByRole('button', { name: 'Pause live' }).click();
    await row(page, 'live').getByText('Paused').waitFor();
    jobs.isHeld = false;
    await row(page, 'live').getByText('0 of 2').waitFor();
    await page.getByRole('button', { name: 'Resume live' }).click();
    await until('the last job to run', () => jobs.started.length === 3);
    await row(page, 'live').getByRole('cell', { name: '0', exact: true }).waitFor();
  });

  it('a limit shows since when its jobs wait, and leads to the pending jobs of its types and of the keys that wait longest', async () => {
    const owner = await register(api().call);
    await setLimit(owner, 'customers', { types: ['called'], per: 'key', concurrency: 1, paused: true });
    await submit(owner, 'k:1', { key: 'customer 9' });
    await submit(owner, 'k:2', { key: 'customer 2' });
    await submit(owner, 'k:3');
    const page = await openPageAs(owner, '/limits?name=customers');
    const keys = page.getByRole('region', { name: 'customers' }).getByRole('listitem');
    await keys.nth(2).waitFor();

    await keys.nth(0).getByText('customer 9').waitFor();
    await keys.nth(1).getByText('customer 2').waitFor();
    await keys.nth(2).getByText('Jobs without a key').waitFor();

    const detail = page.getByRole('region', { name: 'customers' });
    await detail.getByText(/^3 jobs\. The first became due (now|\d+ (s|min) ago)/).waitFor();
    await detail.getByRole('link', { name: 'called' }).click();
    await page.waitForURL((url) => url.search === '?status=pending&type=called');
    await page.goBack();
    await keys.nth(0).getByRole('link', { name: 'customer 9' }).click();
    await page.waitForURL((url) => url.searchParams.get('key') === 'customer 9');
    const listed = page.getByRole('table', { name: 'Jobs, newest first' }).locator('[data-row-id]');
    await listed.first().waitFor();
    expect(await listed.count()).toBe(1);
  });

  it('a failed pause says why and changes nothing', async () => {
    allow(/status of 503/);
    const owner = await register(api().call);
    await setLimit(owner, 'steady', { concurrency: 1 });
    const page = await openPageAs(owner, '/limits');
    await fail(page, '**/org/limits/steady', 'PATCH');
    await page.getByRole('button', { name: 'Pause steady' }).click();
    await page.getByText('Postgres is unavailable').first().waitFor();
    expect(await row(page, 'steady').getByText('Paused').count()).toBe(0);
  });

  it('a member can read limits but not change them', async () => {
    const owner = await register(api().call);
    await setLimit(owner, 'read', { types: ['called'], concurrency: 4 });
    const page = await openPageAs(await addMember(api(), owner, 'm@limits.example', 'member'), '/limits?name=read');
    await page.getByText('Owners and admins can change this limit.').waitFor();
    await page.getByRole('tab', { name: 'Job types' }).click();
    await row(page, 'webhook').waitFor();
    const buttons = page.getByRole('main').getByRole('button', { name: /Add|Edit|Delete|Pause|Resume/ });
    expect(await buttons.count()).toBe(0);
  });

  it('the page works with the keyboard only', async () => {
    const owner = await register(api().call);
    await setLimit(owner, 'a-limit', { concurrency: 1 });
    await setLimit(owner, 'b-limit', { concurrency: 1 });
    const page = await openPageAs(owner, '/domains');
    await page.keyboard.press('g');
    await page.keyboard.press('l');
    await row(page, 'b-limit').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'b-limit' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'b-limit' }).waitFor({ state: 'detached' });
    await page.keyboard.press('n');
    await page.getByRole('dialog', { name: 'Add limit' }).waitFor();
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });
  });

  it('the page shows loading and error states and can retry', async () => {
    allow(/status of 503/);
    const owner = await register(api().call);
    await setLimit(owner, 'there', { concurrency: 1 });
    const page = await openPageAs(owner, '/sms', { hasClock: true });
    const release = await hold(page, '**/org/limits*');
    await page.goto('/limits');
    await page.getByRole('status').getByText('Loading Limits').waitFor();
    release();
    await row(page, 'there').waitFor();
    await fail(page, '**/org/limits*');
    await page.reload();
    await passTime(page, page.getByRole('alert').getByText('Postgres is unavailable'));
    await screenshot(page, 'limits-error', DEFAULT_LOOK);
    await page.unroute('**/org/limits*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await row(page, 'there').waitFor();
  });
});

describe('the list of job types', () => {
  it('a job type is paused and resumed in one click', async () => {
    const owner = await register(api().call);
    const page = await openPageAs(owner, '/limits?tab=types');
    await page.getByRole('button', { name: 'Pause called' }).click();
    await row(page, 'called').getByText('Paused', { exact: true }).waitFor();
    const id = await submit(owner, 'paused:1');
    expect((await owner.get(`/jobs/${id}`)).body.waiting_for).toBe('limit:pause:called');

    await page.getByRole('button', { name: 'Resume called' }).click();
    await row(page, 'called').getByText('Jobs start').waitFor();
    await until('the job to run', () => jobs.started.includes('paused:1'));
    expect((await owner.get('/org/limits')).body).toEqual([]);
  });

  it('no state is shown while the limits cannot be loaded', async () => {
    allow(/status of 503/);
    const owner = await register(api().call);
    const page = await openPageAs(owner, '/sms', { hasClock: true });
    await fail(page, '**/org/limits*');
    await page.goto('/limits?tab=types');
    await passTime(page, page.getByRole('alert').getByText('Postgres is unavailable'));
    expect(await page.getByText('Jobs start').count()).toBe(0);
  });

  it('a type that another limit pauses names this limit and has no button', async () => {
    const owner = await register(api().call);
    await setLimit(owner, 'night', { types: ['printed'], paused: true });
    const page = await openPageAs(owner, '/limits?tab=types');
    await row(page, 'printed').getByText('Paused by night').waitFor();
    expect(await row(page, 'printed').getByRole('button').count()).toBe(0);
  });
});

it('the page is accessible in every theme and width: empty, with an open limit, with types, and the form', async () => {
  jobs.isHeld = true;
  const owner = await register(api().call);
  const page = await openPageAs(owner, '/limits');
  await expectAccessibleInEveryLook(page, 'limits-empty', page.getByText('No limits.'));
  await setLimit(owner, 'crm-api', { types: ['called'], concurrency: 2 });
  await setLimit(owner, 'customers', { types: ['printed'], per: 'key', concurrency: 1, ordered: true });
  await setLimit(owner, `payments-${'with-a-long-name-'.repeat(3)}`, { per_second: 5, burst: 20, paused: true });
  for (const name of ['1', '2', '3', '4']) await submit(owner, `look:${name}`);
  for (const key of ['customer 17', 'customer 17', 'customer 4', 'customer 4']) {
    await submit(owner, `look:${key}`, { key }, 'printed');
  }
  await page.goto('/limits?name=customers');
  await row(page, 'crm-api').getByText('2 of 2').waitFor();
  await expectAccessibleInEveryLook(page, 'limits', page.getByText('Keys that wait longest'));
  await page.getByRole('button', { name: 'Edit limit' }).click();
  await expectAccessibleInEveryLook(page, 'limits-form', types(page));
  await page.keyboard.press('Escape');
  await page.getByRole('tab', { name: 'Job types' }).click();
  await page.getByRole('button', { name: 'Pause webhook' }).click();
  await expectAccessibleInEveryLook(page, 'limits-types', page.getByRole('button', { name: 'Resume webhook' }));
});
