import { createCatalogue, defineHandler } from '@jobline/handlers';
import Joi from 'joi';
import { beforeAll, describe, expect, it } from 'vitest';
import { register, until } from '../harness/index.js';
import { catalogue, endings, isLive, newJobs, rows, waiting } from './jobs-support.js';
import { expectAccessibleInEveryLook } from './looks.js';
import { passTime } from './page-pool.js';
import { usePages } from './support.js';

const { allow, api, memberOf, openPageAs, world } = usePages();

const invoice = defineHandler({
  type: 'shop.invoice',
  queue: 'cpu',
  schema: Joi.object({
    order_id: Joi.string().required().description('The number of the order.'),
    copies: Joi.number(),
    express: Joi.boolean(),
    size: Joi.valid('a4', 'letter').required(),
  }),
  run: async () => null,
});

beforeAll(() => world().worker({ catalogue: createCatalogue([...catalogue.values(), invoice]) }));

describe('the first job', () => {
  it('a new user runs a sample job with one click and sees it finish', async () => {
    const page = await openPageAs(await register(api().call), '/', { hasClock: true });
    await isLive(page);
    await page.getByRole('button', { name: 'Run a sample job' }).click();

    await page.getByText('ai_summarize is submitted').first().waitFor();
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await page.waitForURL(/\/job\/./);
    await page.goBack();

    await rows(page).getByText('ai_summarize', { exact: true }).waitFor();
    await rows(page).getByText('Done').waitFor();
    await passTime(page, page.getByRole('link', { name: /^Done\s*1.*in 24 h/ })); // the tile is updated
  });

  it('the page shows a curl command, and the job that it submits appears automatically', async () => {
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

describe('the status of a job', () => {
  it('a job changes from running to done in place', async () => {
    const person = await register(api().call);
    const [later] = await waiting(person, 1);
    const page = await openPageAs(person, '/');
    await isLive(page);
    await page.keyboard.press('n');
    const sheet = page.getByRole('dialog', { name: 'New job' });
    await sheet.getByLabel('Type').fill('endless');
    await sheet.getByLabel('Payload').fill('{"name": "first"}');
    await sheet.getByRole('button', { name: 'Submit job' }).click();

    await sheet.waitFor({ state: 'detached' });
    const first = rows(page).first();
    await first.getByText('endless', { exact: true }).waitFor();
    await first.getByText('Running').waitFor();
    (await until('the handler is running', () => endings.get('first')))();
    await first.getByText('Done').waitFor();
    expect(await rows(page).last().getAttribute('data-row-id')).toBe(later);
    expect(await newJobs(page, 1).count()).toBe(0);
  });
});

describe('the form for a new job', () => {
  it('errors are shown at the invalid field, and nothing that was typed is lost', async () => {
    const page = await openPageAs(await register(api().call), '/');
    await page.keyboard.press('n');
    const sheet = page.getByRole('dialog', { name: 'New job' });
    const payload = sheet.getByLabel('Payload');
    await payload.fill('{"text": ');
    await sheet.getByRole('button', { name: 'Submit job' }).click();
    await sheet.getByText(/^Invalid JSON/).waitFor();

    await sheet.getByLabel('Type').fill('send_sms');
    await payload.fill('{"to": "unknown", "message": ""}');
    await sheet.getByRole('button', { name: 'Submit job' }).click();
    const described = sheet.getByRole('textbox', { name: 'Payload', description: /payload\.to: .*payload\.message: / });
    await described.waitFor();
    await until('the field has the focus', () => payload.evaluate((field) => field === document.activeElement));

    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('');
    await page.reload();
    await page.getByRole('button', { name: 'New job' }).click();
    expect(await payload.inputValue()).toBe('{"to": "unknown", "message": ""}');
    await sheet.getByRole('button', { name: 'Discard draft' }).click();
    await until('the example is shown again', async () => /A queue takes/.test(await payload.inputValue()));
  });

  it('a discarded draft can be restored, and a custom type is accepted if it is valid', async () => {
    const page = await openPageAs(await register(api().call), '/');
    await page.keyboard.press('n');
    const sheet = page.getByRole('dialog', { name: 'New job' });
    const payload = sheet.getByLabel('Payload');
    const type = sheet.getByLabel('Type');
    await payload.fill('{"mine": 1}');
    await sheet.getByRole('button', { name: 'Use the example' }).click();
    expect(await payload.inputValue()).toContain('A queue takes');
    await sheet.getByRole('button', { name: 'Undo' }).click();
    expect(await payload.inputValue()).toBe('{"mine": 1}');

    await type.fill('my.type');
    await page.keyboard.press('Tab');
    await sheet.getByRole('button', { name: 'Discard draft' }).click();
    expect(await type.inputValue()).toBe('ai_summarize');
    await sheet.getByRole('button', { name: 'Undo' }).click();
    expect([await type.inputValue(), await payload.inputValue()]).toEqual(['my.type', '{"mine": 1}']);
    expect(await sheet.getByRole('button', { name: 'Undo' }).count()).toBe(0);

    await type.fill('no type');
    await sheet.getByRole('button', { name: 'Submit job' }).click();
    await sheet.getByText(/^Select a type, or enter/).waitFor();
    await until('the field has the focus', () => type.evaluate((field) => field === document.activeElement));
  });

  it('a job gets its tags, key, priority and expiry, and a mistake in them opens their fields', async () => {
    allow(/status of 400/);
    const person = await register(api().call);
    const page = await openPageAs(person, '/');
    await page.keyboard.press('n');
    const sheet = page.getByRole('dialog', { name: 'New job' });
    await sheet.getByLabel('Tags').fill('night, report');
    await sheet.getByText('More: priority').click();
    await sheet.getByLabel('Priority').fill('10');
    await sheet.getByLabel('Key').fill('customer 7');
    const expiry = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 16);
    await sheet.getByLabel('Expires').fill(expiry);
    await sheet.getByText('More: priority').click();
    await sheet.getByRole('button', { name: 'Submit job' }).click();
    await sheet.getByRole('textbox', { name: 'Priority', description: /less than or equal to 9/ }).waitFor();
    await expectAccessibleInEveryLook(page, 'new-job-settings', sheet.getByLabel('Priority'));
    await sheet.getByLabel('Priority').fill('9');
    await sheet.getByRole('button', { name: 'Submit job' }).click();
    await sheet.waitFor({ state: 'detached' });
    const [{ id }] = (await person.get('/jobs')).body;
    expect((await person.get(`/jobs/${id}`)).body).toMatchObject({
      ...{ tags: ['night', 'report'], key: 'customer 7', max_retries: 3 },
      expires_at: new Date(`${expiry}+03:00`).toISOString(), // the time zone of the page
    });
  });

  it('the API accepts the example payload of every type', async () => {
    const person = await register(api().call);
    const page = await openPageAs(person, '/');
    await page.keyboard.press('n');
    const sheet = page.getByRole('dialog', { name: 'New job' });
    const types = (await person.get('/job-types')).body.filter((one: { built_in: boolean }) => one.built_in);
    expect(types).toHaveLength(9);
    await sheet.getByLabel('Type').fill('mobile_money_stk');
    await sheet.getByRole('button', { name: 'Edit as JSON' }).click();
    for (const { type } of types) {
      await sheet.getByLabel('Type').fill(type);
      const payload = JSON.parse(await sheet.getByLabel('Payload').inputValue());
      const run_at = new Date(Date.now() + 86_400_000).toISOString();
      expect((await person.post('/jobs', { type, payload, run_at })).status, type).toBe(202);
    }
  });

  it('the types of live workers are suggested with their queues, and one that no worker handles causes a warning', async () => {
    const person = await register(api().call);
    const page = await openPageAs(person, '/');
    await page.keyboard.press('n');
    const sheet = page.getByRole('dialog', { name: 'New job' });
    const typeWith = (description: RegExp) => sheet.getByRole('combobox', { name: 'Type', description }).waitFor();
    await typeWith(/Queue cpu\. Live workers: 1\./);
    const options = sheet.locator('datalist option');
    const suggested = await options.evaluateAll((all: HTMLOptionElement[]) => all.map(({ value }) => value));
    expect(suggested).toEqual((await person.get('/job-types')).body.map(({ type }: { type: string }) => type));
    expect(suggested).toContain('shop.invoice');

    await sheet.getByLabel('Type').fill('send_smss');
    await typeWith(/No live worker handles this type\./);
    await expectAccessibleInEveryLook(page, 'new-job-warning', sheet.getByText(/^No live worker/));
    await sheet.getByLabel('Type').fill('endless');
    await typeWith(/Queue io\. Live workers: 1\./);
  });

  it('a flat schema is a form, whose fields and JSON are the same payload', async () => {
    const person = await register(api().call);
    const page = await openPageAs(person, '/');
    await page.keyboard.press('n');
    const sheet = page.getByRole('dialog', { name: 'New job' });
    await sheet.getByLabel('Type').fill('shop.invoice');
    const form = sheet.getByRole('group', { name: 'Payload' });
    const order = form.getByRole('textbox', { name: 'order_id', description: 'The number of the order.' });
    await order.waitFor();
    await sheet.getByRole('button', { name: 'Submit job' }).click();
    allow(/status of 400/);
    await sheet.getByRole('group', { name: 'Payload', description: /payload\.order_id: .*payload\.size: / }).waitFor();
    await page.locator(':focus').and(order).waitFor();

    await page.keyboard.type('A1');
    await form.getByRole('textbox', { name: 'copies' }).fill('1.5');
    await form.getByRole('combobox', { name: 'express' }).click();
    await page.getByRole('option', { name: 'Yes' }).click();
    await form.getByRole('combobox', { name: 'size' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: 'letter' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.locator('[data-highlighted]', { hasText: 'letter' }).waitFor();
    await page.keyboard.press('Enter');
    await expectAccessibleInEveryLook(page, 'new-job-form', order);
    await form.getByRole('button', { name: 'Edit as JSON' }).click();
    const payload = sheet.getByRole('textbox', { name: 'Payload' });
    const written = { order_id: 'A1', copies: 1.5, express: true, size: 'letter' };
    expect(JSON.parse(await payload.inputValue())).toEqual(written);

    await payload.fill('{"order_id": "A1", "size": "a4", "copies": 2}');
    await sheet.getByRole('button', { name: 'Edit as form' }).click();
    expect(await form.getByRole('textbox', { name: 'copies' }).inputValue()).toBe('2');
    await form.getByRole('textbox', { name: 'copies' }).fill('');
    await sheet.getByRole('button', { name: 'Submit job' }).click();
    await sheet.waitFor({ state: 'detached' });
    const [{ id }] = (await person.get('/jobs')).body;
    expect((await person.get(`/jobs/${id}`)).body).toMatchObject({
      type: 'shop.invoice',
      payload: { order_id: 'A1', size: 'a4' },
    });
  });

  it('a job with an incomplete date is not submitted', async () => {
    const person = await register(api().call);
    const page = await openPageAs(person, '/');
    await page.getByRole('button', { name: 'New job' }).click();
    const sheet = page.getByRole('dialog', { name: 'New job' });
    await sheet.getByLabel('Not before').focus();
    await page.keyboard.type('2112');
    await sheet.getByRole('button', { name: 'Submit job' }).click();

    await sheet.getByText('Complete the date and time, or clear the field.').waitFor();
    expect((await person.get('/jobs')).body).toEqual([]);
  });

  it('submitting the same job again after success creates another job', async () => {
    const person = await register(api().call);
    const page = await openPageAs(person, '/');
    const sheet = page.getByRole('dialog', { name: 'New job' });
    for (const count of [1, 2]) {
      await page.getByRole('button', { name: 'New job' }).click();
      await sheet.getByRole('button', { name: 'Submit job' }).click();
      await sheet.waitFor({ state: 'detached' });
      await until('the job is in the list', async () => (await rows(page).count()) === count);
    }

    expect((await person.get('/jobs')).body).toHaveLength(2);
  });

  it('repeating a submission whose response was lost creates one job', async () => {
    const person = await register(api().call);
    const page = await openPageAs(person, '/');
    await page.keyboard.press('n');
    const sheet = page.getByRole('dialog', { name: 'New job' });
    allow(/ERR_FAILED|Failed to fetch/);
    await page.route(
      '**/jobs',
      async (route) => {
        if (route.request().method() !== 'POST') return route.fallback();
        await route.fetch(); // the request arrives, and its response is lost
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

it('a member can run a sample job, but is referred to an owner or admin for API keys', async () => {
  const page = await openPageAs(await memberOf(await register(api().call)), '/');
  await page.getByText(/ask an owner or admin for an API key/).waitFor();
  await page.getByRole('button', { name: 'Run a sample job' }).click();

  await rows(page).getByText('Done').waitFor();
});
