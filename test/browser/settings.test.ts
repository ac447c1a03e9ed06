import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { register } from '../harness/index.js';
import { expectAccessibleInEveryLook } from './looks.js';
import { passTime } from './page-pool.js';
import { usePages } from './support.js';
import { addMember, fail, hold } from './team-support.js';

const { allow, api, openPageAs } = usePages();

const section = (page: Page, name: string) => page.getByRole('region', { name });
const save = (page: Page, name: string) => page.getByRole('button', { name: `Save: ${name}` });
const saved = (page: Page, name: string) => page.getByText(`${name}: saved`).first().waitFor();
const field = (page: Page, name: string) => page.getByRole('textbox', { name });

describe('the alerts', () => {
  it('are saved, and a setting that another user changes meanwhile is shown', async () => {
    const owner = await register(api().call);
    const page = await openPageAs(owner, '/settings');
    await field(page, 'Failed jobs, in percent').fill('20');
    await page.getByText('No one is notified.').waitFor();
    await field(page, 'Longest wait').fill('5');
    await section(page, 'Alerts').getByRole('checkbox', { name: 'Owners and admins, by email' }).click();
    expect(await page.getByText('No one is notified.').count()).toBe(0);
    await save(page, 'Alerts').click();
    await saved(page, 'Alerts');
    expect((await owner.get('/org/settings')).body.alerts).toEqual({
      email: true,
      webhook: false,
      failure_rate_percent: 20,
      oldest_waiting_seconds: 300,
    });
    await page.getByRole('button', { name: 'Save: Alerts', disabled: true }).waitFor();

    const alerts = { email: true, webhook: true, failure_rate_percent: 30, oldest_waiting_seconds: 45 };
    await owner.patch('/org/settings', { alerts });
    await page.reload();
    await page.getByRole('checkbox', { name: 'Webhooks, by events', checked: true }).waitFor();
    expect(await field(page, 'Longest wait').inputValue()).toBe('45');
    expect(await page.getByRole('combobox', { name: 'Unit' }).textContent()).toContain('seconds');
    await field(page, 'Failed jobs, in percent').fill('');
    await page.keyboard.press('Enter');
    await saved(page, 'Alerts');
    expect((await owner.get('/org/settings')).body.alerts).toEqual({ ...alerts, failure_rate_percent: null });
  });

  it('a rejected value is shown at its field, and a failed save keeps what was typed', async () => {
    allow(/status of (400|503)/);
    const owner = await register(api().call);
    const page = await openPageAs(owner, '/settings');
    const invalid = (name: string, description: RegExp) =>
      page.getByRole('textbox', { name, description }).and(page.locator('[aria-invalid=true]')).waitFor();
    await field(page, 'Failed jobs, in percent').fill('many');
    await page.keyboard.press('Enter');
    await invalid('Failed jobs, in percent', /^Enter a number/);
    await field(page, 'Failed jobs, in percent').fill('101');
    await field(page, 'Longest wait').fill('2000');
    await page.keyboard.press('Enter');
    await invalid('Failed jobs, in percent', /^Must be less than or equal to 100/);
    await invalid('Longest wait', /^Must be less than or equal to 86400/);
    expect((await owner.get('/org/settings')).body.alerts.failure_rate_percent).toBeNull();

    await field(page, 'Failed jobs, in percent').fill('50');
    await field(page, 'Longest wait').fill('20');
    await fail(page, '**/org/settings', 'PATCH');
    await save(page, 'Alerts').click();
    await section(page, 'Alerts').getByRole('alert').getByText('Postgres is unavailable').waitFor();
    await page.getByRole('link', { name: 'Team' }).click();
    await page.getByRole('heading', { level: 1, name: 'Team' }).waitFor();
    await page.goBack();
    expect(await field(page, 'Failed jobs, in percent').inputValue()).toBe('50');
    await page.getByRole('button', { name: 'Discard changes: Alerts' }).click();
    expect(await field(page, 'Longest wait').inputValue()).toBe('');
    await page.getByRole('button', { name: 'Undo' }).first().click();
    expect(await field(page, 'Longest wait').inputValue()).toBe('20');
    await page.unroute('**/org/settings');
    await save(page, 'Alerts').click();
    await saved(page, 'Alerts');
  });
});

describe('the page of settings', () => {
  it('a member sees the settings and cannot change them', async () => {
    const owner = await register(api().call);
    await owner.patch('/org/settings', { alerts: { email: true, failure_rate_percent: 15 } });
    const page = await openPageAs(await addMember(api(), owner, 'm@settings.example', 'member'), '/settings');
    await page.getByText(/Owners and admins can change them/).waitFor();
    await page.getByRole('textbox', { name: 'Failed jobs, in percent', disabled: true }).waitFor();
    expect(await field(page, 'Failed jobs, in percent').inputValue()).toBe('15');
    const enabled = page.getByRole('main').locator('input:enabled, button:enabled');
    expect(await enabled.count()).toBe(0);
    await expectAccessibleInEveryLook(page, 'settings-member', field(page, 'Failed jobs, in percent'));
  });

  it('an admin can save with the keyboard only', async () => {
    const owner = await register(api().call);
    const page = await openPageAs(await addMember(api(), owner, 'a@settings.example', 'admin'), '/domains');
    await page.keyboard.press('g');
    await page.keyboard.press('o');
    const percent = field(page, 'Failed jobs, in percent');
    await percent.waitFor();
    const hasFocus = () => percent.evaluate((element) => element === document.activeElement);
    for (let tabs = 0; tabs < 20 && !(await hasFocus()); tabs++) await page.keyboard.press('Tab');
    await page.keyboard.type('40');
    await page.keyboard.press('Tab');
    await page.keyboard.type('2');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await saved(page, 'Alerts');
    expect((await owner.get('/org/settings')).body.alerts).toMatchObject({
      email: true,
      failure_rate_percent: 40,
      oldest_waiting_seconds: 120,
    });
  });

  it('the page shows loading and error states and can retry', async () => {
    allow(/status of 503/);
    const owner = await register(api().call);
    const page = await openPageAs(owner, '/sms', { hasClock: true });
    const release = await hold(page, '**/org/settings');
    await page.goto('/settings');
    await page.getByRole('status', { name: 'Loading the settings' }).waitFor();
    release();
    await field(page, 'Longest wait').waitFor();
    await fail(page, '**/org/settings');
    await page.reload();
    await passTime(page, page.getByRole('alert').getByText('Postgres is unavailable'));
    await page.unroute('**/org/settings');
    await page.getByRole('button', { name: 'Try again' }).click();
    await field(page, 'Longest wait').waitFor();
  });

  it('the page is accessible in every look', async () => {
    const owner = await register(api().call);
    const page = await openPageAs(owner, '/settings');
    await expectAccessibleInEveryLook(page, 'settings', field(page, 'Longest wait'));
    await field(page, 'Failed jobs, in percent').fill('20');
    await expectAccessibleInEveryLook(page, 'settings-dirty', page.getByText('No one is notified.'));
  });
});
