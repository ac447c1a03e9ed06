import { beforeAll, describe, expect, it } from 'vitest';
import { register, until } from '../harness/index.js';
import { catalogue, gates, isLive, newJobs, rows, waiting } from './jobs-support.js';
import { passTime } from './page-pool.js';
import { usePages } from './support.js';

const { allow, api, memberOf, openPageAs, world } = usePages();

beforeAll(() => world().worker({ catalogue }));

describe('somebody new', () => {
  it('runs a sample job with one click, and sees it end', async () => {
    const page = await openPageAs(await register(api().call), '/', { hasClock: true });
    await isLive(page);
    await page.getByRole('button', { name: 'Run a sample job' }).click();

    await page.getByText('ai_summarize is submitted').first().waitFor();
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await page.waitForURL(/\/job\/./);
    await page.goBack();

    await rows(page).getByText('ai_summarize', { exact: true }).waitFor();
    await rows(page).getByText('Done').waitFor();
    await passTime(page, page.getByRole('link', { name: /^Done\s*1.*in 24 h/ })); // the figure follows
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

  it('gives back what was thrown away, and takes a type that was typed and not picked', async () => {
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

    await type.fill('another.type');
    await payload.click();
    expect(await type.inputValue()).toBe('another.type');
    await type.fill('no type');
    await payload.click();
    expect(await type.inputValue()).toBe('another.type');
    await type.fill('third.type');
    await page.keyboard.press('Escape');
    expect(await type.inputValue()).toBe('another.type');
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

  it('that is half-dated is not submitted for now', async () => {
    const person = await register(api().call);
    const page = await openPageAs(person, '/');
    await page.getByRole('button', { name: 'New job' }).click();
    const sheet = page.getByRole('dialog', { name: 'New job' });
    await sheet.getByLabel('Not before').focus();
    await page.keyboard.type('2112');
    await sheet.getByRole('button', { name: 'Submit job' }).click();

    await sheet.getByText('Complete the date and time, or empty it.').waitFor();
    expect((await person.get('/jobs')).body).toEqual([]);
  });

  it('is another one when the same is sent again after it was taken', async () => {
    const person = await register(api().call);
    const page = await openPageAs(person, '/');
    const sheet = page.getByRole('dialog', { name: 'New job' });
    for (const count of [1, 2]) {
      await page.getByRole('button', { name: 'New job' }).click();
      await sheet.getByRole('button', { name: 'Submit job' }).click();
      await sheet.waitFor({ state: 'detached' });
      await until('it is on top', async () => (await rows(page).count()) === count);
    }

    expect((await person.get('/jobs')).body).toHaveLength(2);
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

it('a member does all of it, but is not sent to the keys', async () => {
  const page = await openPageAs(await memberOf(await register(api().call)), '/');
  await page.getByText(/ask an owner or admin for an API key/).waitFor();
  await page.getByRole('button', { name: 'Run a sample job' }).click();

  await rows(page).getByText('Done').waitFor();
});
