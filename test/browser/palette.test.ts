import type { Page } from 'playwright-core';
import { beforeEach, describe, it } from 'vitest';
import { type Person, register } from '../harness/index.js';
import { expectAccessibleInEveryLook } from './looks.js';
import { usePages } from './support.js';
import { store } from './templates-support.js';

const { api, openPageAs } = usePages();

let person: Person;
let slip: string;
beforeEach(async () => {
  person = await register(api().call);
  slip = await store(person, { kind: 'sms', name: 'order 1001 slip', body: 'Hello' });
  await store(person, { kind: 'sms', name: 'order-confirmation', body: 'Hello' });
});

async function openPalette(): Promise<Page> {
  const page = await openPageAs(person, '/limits');
  await page.getByRole('heading', { name: 'Limits' }).waitFor();
  await page.keyboard.press('/');
  await page.getByRole('combobox', { name: 'Search' }).waitFor();
  return page;
}

const selected = (page: Page, name: RegExp) => page.getByRole('option', { name, selected: true });

describe('the search on every page', () => {
  it('selects the first entry of each result, however slowly the text is typed', async () => {
    const page = await openPalette();
    await page.keyboard.type('order');
    await selected(page, /^order-confirmation/).waitFor();
    await page.keyboard.type(' 1001');
    await selected(page, /^order 1001 slip/).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/templates?id=${slip}`);
  });

  it('opens the result of what was typed, also if Enter comes before the result', async () => {
    const page = await openPalette();
    await page.keyboard.type('order 1001');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/templates?id=${slip}`);
  });

  it('opens a page if nothing else was found, and nothing if the text is changed before', async () => {
    const page = await openPalette();
    await page.keyboard.type('order');
    await page.keyboard.press('Enter');
    await page.keyboard.type(' 1001');
    await selected(page, /^order 1001 slip/).waitFor();
    await page.getByRole('combobox', { name: 'Search' }).fill('');
    await page.keyboard.type('schedul');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/schedules');
  });

  it('is accessible with results', async () => {
    const page = await openPalette();
    await page.keyboard.type('order');
    await expectAccessibleInEveryLook(page, 'palette', selected(page, /^order-confirmation/));
  });
});
