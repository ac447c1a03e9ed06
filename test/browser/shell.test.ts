import { describe, expect, it } from 'vitest';
import { register, until } from '../harness/index.js';
import { expectAccessible, LOOKS, screenshot, usePages } from './support.js';

const { allow, api, openPageAs, world } = usePages();

const DESTINATIONS = [
  ['Jobs', '/', 'j'],
  ['Email', '/email', 'e'],
  ['SMS', '/sms', 's'],
  ['Templates', '/templates', 't'],
  ['Domains', '/domains', 'd'],
  ['Team', '/team', 'm'],
  ['API keys', '/keys', 'k'],
] as const;

describe('the keys', () => {
  it('lead to every page, and the focus goes to its heading', async () => {
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

  it('are told by ?, silent in a dialog, and can be turned off', async () => {
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

describe('the frame', () => {
  it('has a link past itself, which is the first thing that Tab reaches', async () => {
    const page = await openPageAs(await register(api().call), '/');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');

    await until('the content has the focus', () => page.evaluate(() => document.activeElement?.id === 'main'));
  });

  it('keeps the theme that was chosen', async () => {
    const page = await openPageAs(await register(api().call), '/');
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Dark' }).click();
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
    expect(await theme()).toBe('dark');
    await page.reload();
    expect(await theme()).toBe('dark');
  });

  it('switches to another organization of theirs', async () => {
    const [person, other] = [await register(api().call), await register(api().call)];
    const { user } = (await person.get('/auth/me')).body;
    await world().db.membership.create({ data: { orgId: other.orgId, userId: user.id, role: 'member' } });
    const { org } = (await other.get('/auth/me')).body;
    const page = await openPageAs(person, '/keys');
    await page.getByRole('button', { name: /^Organization/ }).click();
    await page.getByRole('menuitemcheckbox', { name: org.name }).click();

    await page.getByRole('button', { name: `Organization: ${org.name}. Switch` }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/');
    expect(await page.getByRole('link', { name: 'API keys' }).count()).toBe(0);
  });

  it('is a drawer on a phone, which closes when one goes somewhere', async () => {
    const page = await openPageAs(await register(api().call), '/', { width: 375 });
    await page.getByRole('button', { name: 'Open the menu' }).click();
    await page.getByRole('dialog', { name: 'Menu' }).getByRole('link', { name: 'SMS' }).click();

    await page.getByRole('heading', { level: 1, name: 'SMS' }).waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('says so where the address leads nowhere, or the API is not reached', async () => {
    const page = await openPageAs(await register(api().call), '/');
    await page.evaluate(() => history.pushState({}, '', '/job/a/b'));
    await page.evaluate(() => dispatchEvent(new PopStateEvent('popstate')));
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor();

    allow(/status of 503|ApiError: .*status 503/);
    await page.route('**/auth/me', (route) => route.fulfill({ status: 503, body: 'down', contentType: 'text/plain' }));
    await page.goto('/');
    await page.getByRole('button', { name: 'Try again' }).waitFor({ timeout: 25_000 });
    await page.unroute('**/auth/me');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
  });
});

describe.each(LOOKS)('in $theme at $width', (look) => {
  it('the frame, its menus and its dialogs are accessible', async () => {
    const page = await openPageAs(await register(api().call), '/', look);
    await expectAccessible(page);
    await screenshot(page, 'shell', look);
    if (look.width < 768) {
      await page.getByRole('button', { name: 'Open the menu' }).click();
      await page.getByRole('dialog', { name: 'Menu' }).waitFor();
      await expectAccessible(page);
      await screenshot(page, 'drawer', look);
    }
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('menu').waitFor();
    await screenshot(page, 'menu', look);
    await page.getByRole('menuitem', { name: 'Change password' }).click();
    await page.getByRole('dialog', { name: 'Change password' }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'password', look);
  });
});
