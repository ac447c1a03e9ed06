import { expect, it } from 'vitest';
import { register, until } from '../harness/index.js';
import { waiting } from './jobs-support.js';
import { usePages } from './support.js';

const { allow, api, openPageAs, world } = usePages();

it('after switching the organization, no rows, events or drafts of the previous one are shown', async () => {
  const [person, other] = [await register(api().call), await register(api().call)];
  const { org, user } = (await person.get('/auth/me')).body;
  await world().db.membership.create({ data: { orgId: other.orgId, userId: user.id, role: 'member' } });
  const there = (await other.get('/auth/me')).body.org;
  await Promise.all([waiting(person, 3), waiting(other, 1)]);
  const page = await openPageAs(person, '/', { width: 375 });
  const cards = page.locator('[data-row-id]');
  await until('the jobs of the first organization are shown', async () => (await cards.count()) === 3);
  await page.keyboard.press('n');
  await page.getByLabel('Payload').fill('{"half": "written"}');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const change = async () => {
    await page.getByRole('button', { name: /^Organization/ }).click();
    await page.getByRole('menuitemcheckbox', { name: there.name }).click();
  };

  await page.getByRole('button', { name: 'Open the menu' }).click();
  // If the user's role in the other organization cannot be loaded, nothing changes.
  allow(/status of 503/);
  await page.route('**/auth/me', (route) => route.fulfill({ status: 503, body: '' }), { times: 1 });
  await change();
  await page.getByText('The organization was not switched').first().waitFor();
  await page.getByRole('button', { name: `Organization: ${org.name}. Switch` }).waitFor();
  expect(await cards.count()).toBe(3);

  await change();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await until('only the jobs of the other organization are shown', async () => (await cards.count()) === 1);
  expect(await page.getByText('The organization was not switched').count()).toBe(0);
  await page.getByRole('status').getByText('Live').waitFor();
  await Promise.all([waiting(person, 5), waiting(other, 2)]);
  await page.getByRole('button', { name: '2 new jobs' }).waitFor();
  await page.getByRole('button', { name: 'New job', exact: true }).click();
  expect(await page.getByLabel('Payload').inputValue()).toContain('A queue takes');
});
