import { newId } from '@jobline/runtime';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { register } from '../harness/index.js';
import { expectAccessibleInEveryLook } from './looks.js';
import { passTime } from './page-pool.js';
import { usePages } from './support.js';
import { addMember, fail, hold } from './team-support.js';

const { allow, api, openPageAs, world } = usePages();

const section = (page: Page, name: string) => page.getByRole('region', { name });
const save = (page: Page, name: string) => page.getByRole('button', { name: `Save: ${name}` });
const saved = (page: Page, name: string) => page.getByText(`${name}: saved`).first().waitFor();
const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
const invalid = (page: Page, name: string, description: RegExp) =>
  page.getByRole('textbox', { name, exact: true, description }).and(page.locator('[aria-invalid=true]')).waitFor();

describe('the alerts', () => {
  it('are narrowed to types, posted to a channel, and listed once they are raised', async () => {
    const owner = await register(api().call);
    const ended = { threshold: 20, value: 42, raisedAt: new Date(), isMailDue: false };
    await world().db.alert.create({ data: { id: newId(), orgId: owner.orgId, kind: 'failure_rate', ...ended } });
    const page = await openPageAs(owner, '/settings');
    await page.getByRole('row', { name: /^42 % of the jobs failed Open 20 %/ }).waitFor();
    await field(page, 'Failed jobs, in percent').fill('20');
    await field(page, 'Of at least so many jobs').fill('5');
    await field(page, 'Job types').fill('send_email');
    await field(page, 'Channel of the team chat').fill('#jobs');
    await save(page, 'Alerts').click();
    await saved(page, 'Alerts');
    expect((await owner.get('/org/settings')).body.alerts).toEqual({
      email: false,
      webhook: false,
      failure_rate_percent: 20,
      oldest_waiting_seconds: null,
      min_jobs: 5,
      types: ['send_email'],
      chat: { channel: '#jobs' },
    });
    await page.getByRole('button', { name: 'Send a test alert' }).click();
    await page.getByText('Posts to the team chat: 1.').waitFor();
    await expectAccessibleInEveryLook(page, 'settings-alerts', section(page, 'Raised alerts'));
  });

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
    await field(page, 'Failed jobs, in percent').fill('many');
    await page.keyboard.press('Enter');
    await invalid(page, 'Failed jobs, in percent', /^Enter a number/);
    await field(page, 'Failed jobs, in percent').fill('101');
    await field(page, 'Longest wait').fill('2000');
    await page.keyboard.press('Enter');
    await invalid(page, 'Failed jobs, in percent', /^Must be less than or equal to 100/);
    await invalid(page, 'Longest wait', /^Must be less than or equal to 86400/);
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

describe('the retention', () => {
  it('is saved after a question if it deletes jobs, and a value above that of the installation is rejected', async () => {
    allow(/status of 400/);
    const owner = await register(api().call);
    const page = await openPageAs(owner, '/settings');
    await page.getByRole('radio', { name: 'For fewer days' }).click();
    await field(page, 'Days').fill('0.5');
    await page.keyboard.press('Enter');
    const question = page.getByRole('alertdialog', { name: 'Delete older jobs?' });
    await question.getByRole('button', { name: 'Save' }).click();
    await invalid(page, 'Days', /^Must be/);
    await field(page, 'Days').fill('400');
    await page.keyboard.press('Enter');
    await question.getByRole('button', { name: 'Save' }).click();
    await invalid(page, 'Days', /RETENTION_DAYS of this installation/);

    await field(page, 'Days').fill('7');
    await page.keyboard.press('Enter');
    await question.getByText(/finished more than 7 days ago are deleted/).waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect((await owner.get('/org/settings')).body.retention_days).toBeNull();
    await save(page, 'Retention').click();
    await question.getByRole('button', { name: 'Save' }).click();
    await saved(page, 'Retention');
    expect((await owner.get('/org/settings')).body.retention_days).toBe(7);

    await page.reload();
    await page.getByRole('radio', { name: 'As long as the installation keeps them' }).click();
    await save(page, 'Retention').click();
    await saved(page, 'Retention');
    expect((await owner.get('/org/settings')).body.retention_days).toBeNull();
  });
});

describe('the redaction', () => {
  it('is saved after a question that names the added keys, and without one if keys are removed', async () => {
    const owner = await register(api().call);
    await owner.patch('/org/settings', { redact: { payload_keys: ['pin'], after_days: 7 } });
    const page = await openPageAs(owner, '/settings');
    const keys = field(page, 'Payload keys');
    await keys.fill('card number');
    await keys.press('Enter');
    await keys.fill('Card');
    await save(page, 'Redaction').click();
    const question = page.getByRole('alertdialog', { name: 'Delete these values?' });
    await question
      .getByText(/values of “card number”, “Card” are deleted in all jobs that finished more than 7 days ago/)
      .waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect((await owner.get('/org/settings')).body.redact.payload_keys).toEqual(['pin']);
    await save(page, 'Redaction').click();
    await question.getByRole('button', { name: 'Save' }).click();
    await saved(page, 'Redaction');
    expect((await owner.get('/org/settings')).body.redact).toEqual({
      payload_keys: ['pin', 'card number', 'Card'],
      after_days: 7,
    });

    await page.getByRole('button', { name: 'Remove pin' }).click();
    await field(page, 'Days after the end of a job').fill('30');
    await page.keyboard.press('Enter');
    // Until then, the form is not sent again.
    await page.getByRole('button', { name: 'Discard changes: Redaction' }).waitFor({ state: 'detached' });
    await save(page, 'Redaction').and(page.locator(':not([aria-busy])')).waitFor();
    const { redact } = (await owner.get('/org/settings')).body;
    expect(redact).toEqual({ payload_keys: ['card number', 'Card'], after_days: 30 });
    await field(page, 'Days after the end of a job').fill('0');
    await page.keyboard.press('Enter');
    await question.getByText(/“card number”, “Card” are deleted in all jobs that have finished/).waitFor();
  });

  it('a rejected value is shown at its field', async () => {
    allow(/status of 400/);
    const owner = await register(api().call);
    const page = await openPageAs(owner, '/settings');
    const keys = field(page, 'Payload keys');
    const confirm = page.getByRole('alertdialog').getByRole('button', { name: 'Save' });
    await keys.fill('x'.repeat(129));
    await keys.press('Enter');
    await field(page, 'Days after the end of a job').fill('');
    await page.keyboard.press('Enter');
    await invalid(page, 'Days after the end of a job', /^Enter a number of days/);
    await field(page, 'Days after the end of a job').fill('31');
    await page.keyboard.press('Enter');
    await confirm.click();
    await invalid(page, 'Payload keys', /^Must have 1 to 128 characters/);
    await invalid(page, 'Days after the end of a job', /^Must be less than or equal to 30/);
    expect((await owner.get('/org/settings')).body.redact).toEqual({ payload_keys: [], after_days: 0 });
  });
});

describe('the page of settings', () => {
  it('a member sees the settings and cannot change them', async () => {
    const owner = await register(api().call);
    await owner.patch('/org/settings', {
      retention_days: 14,
      redact: { payload_keys: ['card_number', 'pin'], after_days: 3 },
      alerts: { email: true, failure_rate_percent: 15 },
    });
    const page = await openPageAs(await addMember(api(), owner, 'm@settings.example', 'member'), '/settings');
    await page.getByText(/Owners and admins can change them/).waitFor();
    await page.getByRole('textbox', { name: 'Failed jobs, in percent', disabled: true }).waitFor();
    expect(await field(page, 'Failed jobs, in percent').inputValue()).toBe('15');
    await section(page, 'Redaction').getByText('card_number', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Remove pin' }).count()).toBe(0);
    const enabled = page.getByRole('main').locator('input:enabled, button:enabled');
    expect(await enabled.count()).toBe(0);
    await expectAccessibleInEveryLook(page, 'settings-member', field(page, 'Failed jobs, in percent'));
  });

  it('an admin can save with the keyboard only', async () => {
    const owner = await register(api().call);
    const page = await openPageAs(await addMember(api(), owner, 'a@settings.example', 'admin'), '/domains');
    await page.keyboard.press('g');
    await page.keyboard.press('o');
    const tabTo = async (control: Locator) => {
      await control.waitFor();
      const hasFocus = () => control.evaluate((element) => element === document.activeElement);
      for (let tabs = 0; tabs < 20 && !(await hasFocus()); tabs++) await page.keyboard.press('Tab');
    };
    await tabTo(field(page, 'Failed jobs, in percent'));
    await page.keyboard.type('40');
    await tabTo(field(page, 'Longest wait'));
    await page.keyboard.type('2');
    await tabTo(page.getByRole('checkbox', { name: 'Owners and admins, by email' }));
    await page.keyboard.press('Space');
    await tabTo(save(page, 'Alerts'));
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
    await page.getByRole('radio', { name: 'For fewer days' }).click();
    const keys = field(page, 'Payload keys');
    for (const name of ['card_number', 'iban', 'x'.repeat(128)]) {
      await keys.fill(name);
      await keys.press('Enter');
    }
    await field(page, 'Failed jobs, in percent').fill('20');
    await field(page, 'Failed jobs, in percent').blur();
    const warning = page.getByText('No one is notified.');
    await warning.scrollIntoViewIfNeeded();
    await expectAccessibleInEveryLook(page, 'settings-alerts', warning);
    await field(page, 'Days').scrollIntoViewIfNeeded();
    await page.evaluate(() => scrollTo(0, 0));
    await expectAccessibleInEveryLook(page, 'settings-changed', keys);
    await save(page, 'Redaction').click();
    const question = page.getByRole('alertdialog', { name: 'Delete these values?' });
    await expectAccessibleInEveryLook(page, 'settings-question', question);
  });
});
