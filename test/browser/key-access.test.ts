import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { type Person, register, until } from '../harness/index.js';
import { DEFAULT_LOOK, expectAccessibleInEveryLook, NARROW, screenshot, WIDE } from './looks.js';
import { usePages } from './support.js';
import { clipboard, fail } from './team-support.js';

const { allow, api, openPageAs, world } = usePages();

const DAY_MS = 86_400_000;
const dialog = (page: Page) => page.getByRole('dialog');
const row = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(`^${name}`) });
const box = (page: Page, scope: string) => dialog(page).getByRole('checkbox', { name: scope });
const types = (page: Page) => dialog(page).getByRole('combobox', { name: 'Chosen job types' });

interface Key {
  id: string;
  key: string;
  expires_at: string | null;
}

async function makeKey(person: Person, name: string, access: object = {}): Promise<Key> {
  const answer = await person.post('/org/api-keys', { name, ...access });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}

/** Moves the expiry of a key, also into the past, which the API does not allow. */
const setExpiry = (id: string, at: number) =>
  world().db.apiKey.update({ where: { id }, data: { expiresAt: new Date(at) } });

const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
const statusOf = async (key: string) => (await api().call('GET', '/jobs', { key })).status;

describe('a new key', () => {
  it('gets the chosen scopes, job types and expiry, and the API obeys them', async () => {
    const owner = await register(api().call);
    const page = await openPageAs(owner, '/keys');
    await page.keyboard.press('n');
    await dialog(page).getByLabel('Name').fill('shop');
    await dialog(page).getByRole('button', { name: 'Submit and read jobs', pressed: true }).waitFor();
    await dialog(page).getByRole('button', { name: 'Read only' }).click();
    expect(await box(page, 'jobs:write').isChecked()).toBe(false);
    expect(await box(page, 'stats:read').isChecked()).toBe(true);
    await box(page, 'stats:read').click();
    await dialog(page).getByText('Submit, change, retry, cancel and delete jobs.').click();
    await dialog(page).getByRole('button', { name: 'Read only', pressed: false }).waitFor();

    await types(page).fill('webhook, nightly.import');
    await types(page).press('Enter');
    expect(await dialog(page).getByRole('radio', { name: 'Only some job types' }).isChecked()).toBe(true);
    await types(page).fill('generate_pdf');
    await dialog(page).getByRole('combobox', { name: 'Expires' }).click();
    await page.getByRole('option', { name: 'In 90 days' }).click();
    await dialog(page).getByRole('button', { name: 'Remove nightly.import' }).click();
    await dialog(page).getByRole('button', { name: 'Create key' }).click();
    await dialog(page).getByRole('button', { name: 'Copy key' }).click();
    const key = await clipboard(page);
    await dialog(page).getByRole('group', { name: 'curl' }).waitFor();
    await dialog(page).getByRole('button', { name: 'Done' }).click();

    const [stored] = (await owner.get('/org/api-keys')).body;
    expect(stored).toMatchObject({
      name: 'shop',
      scopes: ['jobs:read', 'jobs:write', 'messages:read', 'schedules:read'],
      types: ['generate_pdf', 'webhook'],
    });
    expect(Math.round((Date.parse(stored.expires_at) - Date.now()) / DAY_MS)).toBe(90);
    expect(await statusOf(key)).toBe(200);
    expect((await api().call('GET', '/stats/jobs', { key })).status).toBe(403);
    const listed = row(page, 'shop');
    for (const words of ['Jobs: read, write', 'Messages: read', 'Schedules: read', 'generate_pdf, webhook']) {
      await listed.getByText(words, { exact: true }).waitFor();
    }
  });

  it('is rejected with each mistake at its field, and nothing is created', async () => {
    allow(/status of 400/);
    const owner = await register(api().call);
    const page = await openPageAs(owner, '/keys');
    await page.keyboard.press('n');
    await dialog(page).getByLabel('Name').fill(' ');
    for (const scope of ['jobs:read', 'jobs:write']) await box(page, scope).click();
    await dialog(page).getByRole('radio', { name: 'Only some job types' }).click();
    await dialog(page).getByRole('combobox', { name: 'Expires' }).click();
    await page.getByRole('option', { name: 'At a date and time' }).click();
    await dialog(page).getByRole('button', { name: 'Create key' }).click();
    await dialog(page).getByText('Choose at least one scope.').waitFor();
    await dialog(page).getByText('Add a job type, or choose all job types.').waitFor();
    await dialog(page).getByText('Enter a date and time.').waitFor();

    await box(page, 'jobs:read').click();
    await types(page).fill('an import!');
    await types(page).press('Enter');
    await dialog(page).getByLabel('Date and time').fill('2020-01-01T10:00');
    await dialog(page).getByText('Enter a time in the future.').waitFor();
    await dialog(page).getByText('“import!” is not a job type').waitFor();
    await dialog(page).getByRole('button', { name: 'Remove import!' }).click();
    await dialog(page).getByLabel('Date and time').fill(inDays(400).slice(0, 16));
    await dialog(page).getByText('Enter a time at most a year ahead.').waitFor();
    await dialog(page).getByLabel('Date and time').fill(inDays(20).slice(0, 16));
    await dialog(page).getByRole('button', { name: 'Create key' }).click();
    await dialog(page).getByRole('textbox', { name: 'Name', description: /./ }).waitFor();
    expect((await owner.get('/org/api-keys')).body).toEqual([]);

    await dialog(page).getByLabel('Name').fill('fixed');
    await dialog(page).getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('dialog', { name: 'Key “fixed”' }).waitFor();
    expect(await dialog(page).getByRole('group', { name: 'curl' }).count()).toBe(0);
  });

  it('keeps what was typed when the API cannot be reached', async () => {
    allow(/status of 503/);
    const page = await openPageAs(await register(api().call), '/keys');
    await page.keyboard.press('n');
    await fail(page, '**/org/api-keys', 'POST');
    await dialog(page).getByLabel('Name').fill('kept');
    await page.keyboard.press('Enter');
    await dialog(page).getByRole('alert').getByText('Postgres is unavailable').waitFor();
    await page.keyboard.press('Escape');
    expect(await dialog(page).getByLabel('Name').inputValue()).toBe('kept');
    await page.unroute('**/org/api-keys');
    await dialog(page).getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('dialog', { name: 'Key “kept”' }).waitFor();
  });
});

describe('the rotation of a key', () => {
  it('shows a new key once, asks before it is lost, and keeps the old one during the overlap', async () => {
    allow(/status of 400/);
    const owner = await register(api().call);
    const old = await makeKey(owner, 'backend', { scopes: ['jobs:read', 'stats:read'], types: ['webhook'] });
    const page = await openPageAs(owner, '/keys');
    await page.getByRole('button', { name: 'Rotate backend' }).click();
    const overlap = dialog(page).getByRole('textbox', { name: 'Overlap in hours' });
    expect(await overlap.inputValue()).toBe('24');
    await overlap.fill('200');
    await page.keyboard.press('Enter');
    await dialog(page)
      .getByRole('textbox', { name: 'Overlap in hours', description: /168/ })
      .and(page.locator('[aria-invalid=true]'))
      .waitFor();
    await overlap.fill('12');
    await page.keyboard.press('Enter');
    await page
      .getByRole('dialog', { name: 'Key “backend”' })
      .getByText(/works for another 12 hours/)
      .waitFor();
    await page.keyboard.press('Escape');
    const question = page.getByRole('alertdialog', { name: 'Close without the key?' });
    await question.getByRole('button', { name: 'Go back' }).click();
    await dialog(page).getByRole('button', { name: 'Copy key' }).click();
    const key = await clipboard(page);
    await dialog(page).getByRole('button', { name: 'Done' }).click();
    await dialog(page).waitFor({ state: 'detached' });

    expect([await statusOf(old.key), await statusOf(key)]).toEqual([200, 200]);
    await row(page, 'backend').filter({ hasText: 'Replaced; ends in 11 h' }).waitFor();
    expect(await page.getByRole('button', { name: 'Rotate backend' }).count()).toBe(1);
    const [made] = (await owner.get('/org/api-keys')).body;
    expect(made).toMatchObject({ name: 'backend', scopes: ['jobs:read', 'stats:read'], types: ['webhook'] });
    expect(await page.content()).not.toContain(key);
  });

  it('a key is restricted, with only what was changed', async () => {
    const owner = await register(api().call);
    await makeKey(owner, 'backend', { expires_at: inDays(100) });
    const page = await openPageAs(owner, '/keys');
    await page.getByRole('button', { name: 'Change backend' }).click();
    await dialog(page).getByRole('button', { name: 'Read only' }).click();
    await types(page).fill('webhook,');
    await screenshot(page, 'key-change', DEFAULT_LOOK);
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await dialog(page).waitFor({ state: 'detached' });

    await row(page, 'backend').getByText('webhook').waitFor();
    const [made] = (await owner.get('/org/api-keys')).body;
    expect(made).toMatchObject({ name: 'backend', types: ['webhook'] });
    expect(made.scopes).not.toContain('jobs:write');
  });

  it('without an overlap, the old key is rejected at once', async () => {
    const owner = await register(api().call);
    const old = await makeKey(owner, 'leaked');
    const page = await openPageAs(owner, '/keys');
    await page.getByRole('button', { name: 'Rotate leaked' }).click();
    await dialog(page).getByRole('textbox', { name: 'Overlap in hours' }).fill('0');
    await page.keyboard.press('Enter');
    await dialog(page)
      .getByText(/The old key is rejected from now on/)
      .waitFor();
    await until('the old key is rejected', async () => (await statusOf(old.key)) === 401);
  });

  it('a key that another user has rotated meanwhile says so', async () => {
    const owner = await register(api().call);
    const old = await makeKey(owner, 'shared');
    const page = await openPageAs(owner, '/keys');
    await page.getByRole('button', { name: 'Rotate shared' }).click();
    await dialog(page).waitFor();
    await owner.post(`/org/api-keys/${old.id}/rotate`, {});
    await page.keyboard.press('Enter');
    await dialog(page)
      .getByRole('alert')
      .getByText(/This key was rotated before/)
      .waitFor();
  });
});

describe('the list of keys', () => {
  it('says when each key expires, and shows everything about a key with the keyboard only', async () => {
    const owner = await register(api().call);
    const many = ['a.one', 'b.two', 'c.three', 'd.four', 'e.five'];
    await makeKey(owner, 'forever', { types: many });
    await makeKey(owner, 'later', { expires_at: inDays(60), scopes: ['stats:read'] });
    await makeKey(owner, 'soon', { expires_at: inDays(3.5) });
    const gone = await makeKey(owner, 'gone', { types: [] });
    await setExpiry(gone.id, Date.now() - 2.5 * DAY_MS);
    const page = await openPageAs(owner, '/keys');
    await row(page, 'forever').filter({ hasText: 'a.one, b.two+3' }).waitFor();
    await row(page, 'soon').getByText('in 3 d').waitFor();
    await row(page, 'gone').getByText('Expired 2 d ago').waitFor();
    await row(page, 'gone').getByText('none').waitFor();
    expect(await page.getByRole('button', { name: 'Rotate gone' }).count()).toBe(0);

    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    const detail = page.getByRole('region', { name: 'forever' });
    await detail.getByText(many.join(', ')).waitFor();
    await detail.getByText('Submit, change, retry, cancel and delete jobs.').waitFor();
    await page.keyboard.press('Enter');
    await detail.waitFor({ state: 'detached' });
  });
});

it('the page is accessible in every look: with keys in every state, their details and both forms', async () => {
  const owner = await register(api().call);
  const page = await openPageAs(owner, '/keys');
  await makeKey(owner, 'reporting', { scopes: ['jobs:read', 'stats:read'], expires_at: inDays(5) });
  const shop = await makeKey(owner, 'shop', {
    types: ['generate_pdf', 'send_email', 'send_sms', 'webhook'],
    scopes: ['jobs:read', 'jobs:write', 'messages:read', 'messages:send', 'schedules:read', 'stats:read'],
    expires_at: inDays(200),
  });
  const old = await makeKey(owner, 'nightly-import-of-everything-that-the-warehouse-has-written', {
    types: ['x'.repeat(120)],
  });
  await owner.post(`/org/api-keys/${old.id}/rotate`, {});
  const gone = await makeKey(owner, 'gone', { types: [] });
  await setExpiry(gone.id, Date.now() - DAY_MS);
  await page.goto(`/keys?id=${shop.id}`);
  await expectAccessibleInEveryLook(page, 'keys-list', page.getByRole('region', { name: 'shop' }), [
    WIDE,
    1024,
    768,
    NARROW,
  ]);
  await page.goto(`/keys?rotate=${shop.id}`);
  await expectAccessibleInEveryLook(page, 'key-rotate', dialog(page).getByText(/Both keys expire/));
  await page.goto('/keys?new=1');
  await expectAccessibleInEveryLook(page, 'key-form', box(page, 'jobs:read'));
  await dialog(page).getByRole('radio', { name: 'Only some job types' }).click();
  await types(page).fill('send_email webhook nightly.import');
  await dialog(page).getByRole('combobox', { name: 'Expires' }).click();
  await page.getByRole('option', { name: 'At a date and time' }).click();
  await dialog(page).getByRole('button', { name: 'Create key' }).click();
  await dialog(page).getByRole('button', { name: 'Remove webhook' }).scrollIntoViewIfNeeded();
  await expectAccessibleInEveryLook(
    page,
    'key-form-types',
    dialog(page).getByRole('button', { name: 'Remove webhook' }),
  );
});
