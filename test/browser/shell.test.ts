import { newId } from '@jobline/runtime';
import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { register, submitJob, until } from '../harness/index.js';
import { expectAccessibleInEveryLook, NARROW, screenshotEveryLook, WIDE } from './looks.js';
import { passTime } from './page-pool.js';
import { usePages } from './support.js';
import { hold } from './team-support.js';

const { allow, api, memberOf, openPageAs, world } = usePages();

const hasFocus = (field: Locator) => field.evaluate((element) => element === document.activeElement);

const DESTINATIONS = [
  ['Jobs', '/', 'j'],
  ['Schedules', '/schedules', 'c'],
  ['Email', '/email', 'e'],
  ['SMS', '/sms', 's'],
  ['Chat', '/chat', 'h'],
  ['Templates', '/templates', 't'],
  ['Domains', '/domains', 'd'],
  ['Limits', '/limits', 'l'],
  ['Webhooks', '/webhooks', 'w'],
  ['Team', '/team', 'm'],
  ['API keys', '/keys', 'k'],
  ['Settings', '/settings', 'o'],
] as const;

describe('keyboard shortcuts', () => {
  it('shortcuts open every page and move the focus to its heading', async () => {
    const page = await openPageAs(await register(api().call), '/email');

    for (const [name, path, key] of DESTINATIONS) {
      await page.keyboard.press('g');
      await page.keyboard.press(key);
      const heading = page.getByRole('heading', { level: 1, name, exact: true });
      await heading.waitFor();
      await until(`the heading ${name} has the focus`, () => heading.evaluate((h1) => h1 === document.activeElement));
      expect(new URL(page.url()).pathname).toBe(path);
      expect(await page.title()).toBe(`${name} · Jobline`);
      expect(await page.locator('[aria-current="page"]:visible').count()).toBeGreaterThanOrEqual(1);
    }
  });

  it('shortcuts are listed by ?, do not work in a dialog, and can be turned off', async () => {
    const page = await openPageAs(await register(api().call), '/');
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await dialog.getByText('Go to Templates').waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('e');
    await dialog.getByRole('switch', { name: 'Single-key shortcuts' }).click();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname).toBe('/');

    await page.keyboard.press('g');
    await page.keyboard.press('e');
    await page.keyboard.press('?');
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(new URL(page.url()).pathname).toBe('/');
  });
});

describe('the page frame', () => {
  it('the first Tab reaches a link that skips the navigation', async () => {
    const page = await openPageAs(await register(api().call), '/');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');

    await until('the content has the focus', () => page.evaluate(() => document.activeElement?.id === 'main'));
  });

  it('the selected theme is kept after a reload', async () => {
    const page = await openPageAs(await register(api().call), '/');
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Dark' }).click();
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
    expect(await theme()).toBe('dark');
    await page.reload();
    expect(await theme()).toBe('dark');
  });

  it('a user can switch to another organization', async () => {
    const owner = await register(api().call);
    const person = await memberOf(owner);
    const { org, orgs } = (await person.get('/auth/me')).body;
    const own = orgs.find(({ id }: { id: string }) => id !== org.id);
    await submitJob(owner, 'http_request', { url: 'https://example.com' });
    const page = await openPageAs(person, '/templates');
    const go = async (name: string) => {
      await page.getByRole('button', { name: /^Organization/ }).click();
      await page.getByRole('menuitemcheckbox', { name }).click();
      await page.getByRole('button', { name: `Organization: ${name}. Switch` }).waitFor();
    };
    await go(own.name);
    expect(new URL(page.url()).pathname).toBe('/');
    await page.getByText('No jobs yet').waitFor();
    await page.getByRole('link', { name: 'API keys' }).waitFor();

    // The page stays the same and shows the data of the other organization.
    await go(org.name);
    await page.getByRole('row', { name: /http_request/ }).waitFor();
    expect(await page.getByRole('link', { name: 'API keys' }).count()).toBe(0);
  });

  it('a user can change their password, with the same rules as for a new one', async () => {
    const person = await register(api().call);
    const page = await openPageAs(person, '/');
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('menuitem', { name: 'Change password' }).click();
    const dialog = page.getByRole('dialog', { name: 'Change password' });
    const current = dialog.getByLabel('Current password');
    await until('the field has the focus', () => hasFocus(current));
    await current.fill(person.password);
    await dialog.getByLabel('New password').fill('short');
    await page.keyboard.press('Enter');
    await dialog.getByRole('textbox', { name: 'New password', description: /At least 8 characters/ }).waitFor();
    await dialog.getByLabel('New password').fill('é'.repeat(35));
    await dialog.getByText('70 of at most 72 bytes').waitFor();

    const release = await hold(page, '**/auth/password');
    await page.keyboard.press('Enter');
    const change = dialog.getByRole('button', { name: 'Change password' });
    await until('the request is running', async () => (await change.getAttribute('aria-busy')) === 'true');
    release();
    await dialog.waitFor({ state: 'detached' });
    await until('the focus has returned', () => hasFocus(page.getByRole('button', { name: /^Account/ })));
    const login = { email: person.email, password: 'é'.repeat(35) };
    expect((await api().call('POST', '/auth/login', { body: login })).status).toBe(200);
  });

  it('on a phone, the navigation is a drawer that closes after a navigation', async () => {
    const page = await openPageAs(await register(api().call), '/', { width: 375 });
    await page.getByRole('button', { name: 'Open the menu' }).click();
    await page.getByRole('dialog', { name: 'Menu' }).getByRole('link', { name: 'SMS' }).click();

    await page.getByRole('heading', { level: 1, name: 'SMS' }).waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('an unknown address and an unreachable API show error pages', async () => {
    const page = await openPageAs(await register(api().call), '/', { hasClock: true });
    await page.evaluate(() => history.pushState({}, '', '/job/a/b'));
    await page.evaluate(() => dispatchEvent(new PopStateEvent('popstate')));
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();

    allow(/status of 503|JoblineError: .*status 503/);
    await page.route('**/auth/me', (route) => route.fulfill({ status: 503, body: 'down', contentType: 'text/plain' }));
    await page.goto('/');
    await passTime(page, page.getByRole('button', { name: 'Try again' }));
    await page.unroute('**/auth/me');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
  });
});

it('what does not work is shown above every page without moving it, with links to the pages that explain it', async () => {
  const owner = await register(api().call);
  const page = await openPageAs(owner, '/templates');
  const heading = page.getByRole('heading', { level: 1 });
  const place = await heading.boundingBox();
  const strip = page.getByRole('region', { name: 'Problems' });
  expect(await strip.count()).toBe(0);
  const { orgId } = owner;
  const hook = { url: 'https://shop.example.com/', events: ['*'], description: 'Shop' };
  const { id } = (await owner.post('/org/webhooks', hook)).body;
  await world().db.webhook.update({ where: { id }, data: { failingSince: new Date(), failures: 3 } });
  await owner.put('/org/limits/erp', { concurrency: 5, hold: { after: 3, probe_seconds: 60 } });
  await world().db.limitHold.updateMany({ where: { orgId }, data: { heldSince: new Date() } });
  const raised = { id: newId(), orgId, threshold: 20, value: 42, raisedAt: new Date(), isMailDue: false };
  await world().db.alert.create({ data: { ...raised, kind: 'failure_rate' } });

  await page.reload();
  await strip.getByRole('link', { name: 'Alert: 42 % of your jobs failed in the last 15 minutes' }).waitFor();
  expect(await heading.boundingBox()).toEqual(place);
  const announced = page.getByRole('status').filter({ hasText: /^3 problems: Alert: .*, Limit erp holds its jobs\.$/ });
  await announced.waitFor({ state: 'attached' });
  await expectAccessibleInEveryLook(page, 'problems', strip);
  await strip.getByRole('button', { name: '2 more' }).press('Enter');
  const all = page.getByRole('dialog', { name: 'Problems' });
  await expectAccessibleInEveryLook(page, 'problems-open', all);
  await all.getByRole('link', { name: 'Deliveries to Shop fail' }).click();
  await page.getByRole('heading', { level: 1, name: 'Shop' }).waitFor();
  await strip.waitFor();

  const member = await openPageAs(await memberOf(owner), '/');
  await member
    .getByRole('region', { name: 'Problems' })
    .getByRole('link', { name: 'Limit erp holds its jobs' })
    .waitFor();
  expect(await member.getByText('Deliveries to Shop fail').count()).toBe(0);
});

it('a new organization sees its first steps until they are done or dismissed', async () => {
  const owner = await register(api().call);
  await submitJob(owner, 'greet', {});
  const page = await openPageAs(owner, '/templates');
  const button = page.getByRole('button', { name: 'First steps: 1 of 6' });
  await button.click();
  const steps = page.getByRole('dialog', { name: 'First steps' });
  await steps.getByText('Run a first job (done)').waitFor();
  await expectAccessibleInEveryLook(page, 'first-steps', steps, [WIDE]);
  await steps.getByRole('link', { name: 'Create an API key' }).click();
  await page.getByRole('dialog', { name: 'Create key' }).waitFor();
  await owner.post('/org/templates', { name: 'Hello', kind: 'sms', body: 'Hi' });
  await page.goto('/');
  await page.getByRole('button', { name: 'First steps: 2 of 6' }).click();
  await steps.getByRole('button', { name: 'Do not show this again' }).click();
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
  expect(await page.getByRole('button', { name: /^First steps/ }).count()).toBe(0);

  const member = await openPageAs(await memberOf(owner), '/');
  expect(await member.getByRole('button', { name: /^First steps/ }).count()).toBe(0);
});

describe('a time', () => {
  it('hover and focus show the exact time in the user’s time zone and in UTC', async () => {
    const person = await register(api().call);
    const { id } = (await person.post('/org/templates', { name: 'Hello', kind: 'sms', body: 'Hi' })).body;
    const { updated_at } = (await person.get(`/org/templates/${id}`)).body;
    const page = await openPageAs(person, '/templates');
    const shown = page.locator(`time[datetime="${updated_at}"]`);
    const tooltip = page.getByRole('tooltip');
    const part = (zone: string) =>
      new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium', timeZone: zone }).format(new Date(updated_at));
    await shown.hover(); // in a row of the list
    await tooltip.filter({ hasText: updated_at }).waitFor();
    expect(await tooltip.textContent()).toContain(part('Africa/Nairobi'));
    expect(await tooltip.textContent()).toContain(part('UTC'));
    await page.mouse.move(0, 0, { steps: 5 });
    await tooltip.waitFor({ state: 'detached' });

    await page.getByRole('link', { name: 'Hello' }).press('Enter');
    await page.getByText(/^Saved/).waitFor();
    await shown.waitFor();
    for (let tabs = 0; tabs < 40 && !(await tooltip.isVisible()); tabs++) await page.keyboard.press('Tab');
    await tooltip.filter({ hasText: updated_at }).waitFor();
  });
});

it('the page frame with its menus and dialogs is accessible in every theme and width', async () => {
  const person = await register(api().call);
  const page = await openPageAs(person, '/');
  const heading = page.getByRole('heading', { level: 1 });
  await expectAccessibleInEveryLook(page, 'shell', heading);
  await page.getByRole('button', { name: /^Account/ }).click();
  await screenshotEveryLook(page, 'menu', page.getByRole('menu'));
  await page.getByRole('menuitem', { name: 'Change password' }).click();
  const password = page.getByRole('dialog', { name: 'Change password' });
  await expectAccessibleInEveryLook(page, 'password', password, [WIDE]);

  const phone = await openPageAs(person, '/', { width: NARROW });
  await phone.getByRole('button', { name: 'Open the menu' }).click();
  const drawer = phone.getByRole('dialog', { name: 'Menu' });
  await expectAccessibleInEveryLook(phone, 'drawer', drawer, [NARROW]);
  await phone.getByRole('button', { name: /^Account/ }).click();
  await phone.getByRole('menuitem', { name: 'Change password' }).click();
  const above = phone.getByRole('dialog', { name: 'Change password' });
  await expectAccessibleInEveryLook(phone, 'password', above, [NARROW]);
});
