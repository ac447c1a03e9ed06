import { expect, it } from 'vitest';
import { expectAccessibleInEveryLook, NARROW } from './looks.js';
import { usePages } from './support.js';

const { allow, openPage } = usePages();

it('a search in the documentation leads to a section, by keyboard alone', async () => {
  const page = await openPage('/help');
  await page.getByRole('heading', { level: 1, name: 'Documentation' }).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('which limit hit');
  const found = page.getByRole('search').getByRole('link', { name: /^Which limit hit me\?/ });
  await found.waitFor();
  await expectAccessibleInEveryLook(page, 'help-search', found);
  await page.keyboard.press('Enter');

  await page.getByRole('heading', { level: 1, name: 'Limits' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/help/limits');
  expect(new URL(page.url()).hash).toMatch(/^#which-limit/);
  await page.getByRole('navigation', { name: 'Pages' }).locator('[aria-current=page]', { hasText: 'Limits' }).waitFor();
  await expectAccessibleInEveryLook(page, 'help-page', page.getByRole('heading', { level: 1 }));
});

it('on a phone, the list of pages is closed until it is wanted', async () => {
  const page = await openPage('/help/start', { width: NARROW });
  const link = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Webhooks' });
  await page.getByText('Pages', { exact: true }).waitFor();
  expect(await link.isVisible()).toBe(false);
  await page.getByText('Pages', { exact: true }).click();
  await link.click();
  await page.getByRole('heading', { level: 1, name: /^Webhooks/ }).waitFor();
  await page.getByRole('link', { name: 'Failures, bulk actions and alerts' }).last().waitFor();
});

it('a search that cannot be loaded says so, and works once the server answers', async () => {
  allow(/status of 503/);
  const page = await openPage('/help');
  await page.route('**/help/search.json', (route) => route.fulfill({ status: 503 }));
  const query = page.getByRole('searchbox', { name: 'Search the documentation' });
  await query.fill('limits');
  await page.getByText('The server does not answer. Type again to search.').waitFor();
  await page.unroute('**/help/search.json');
  await query.fill('which limit hit');
  await page
    .getByRole('search')
    .getByRole('link', { name: /^Which limit hit me\?/ })
    .waitFor();
});
