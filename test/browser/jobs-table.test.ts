import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { finishedJob, register, submitJob, until } from '../harness/index.js';
import { catalogue, isLive, row, rows, shaky, storeFailures, waiting } from './jobs-support.js';
import { expectAccessibleInEveryLook, setLook } from './looks.js';
import { passTime } from './page-pool.js';
import { signIn, usePages } from './support.js';

const { api, openPageAs, world } = usePages();

beforeAll(() => world().worker({ catalogue }));

const TOMORROW = { run_at: new Date(Date.now() + 86_400_000).toISOString() };
const SMS = { to: '+254700000001', message: 'Hello' };
const PHONE = { width: 375, height: 812 };

const headers = (page: Page) => page.getByRole('columnheader').allInnerTexts();
const searchOf = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);
const openMenu = (page: Page) => page.getByRole('button', { name: 'Columns and CSV' }).click();

describe('the rows of the job list', () => {
  it('a row shows whom its job is about, why it failed and how long it took', async () => {
    const person = await register(api().call);
    const [failed = ''] = await storeFailures(world(), person, [{ message: 'the receiver answered 503' }]);
    const sms = await submitJob(person, 'send_sms', SMS);
    await finishedJob(person, sms);
    const page = await openPageAs(person, '/');

    await row(page, failed).getByText('the receiver answered 503').waitFor();
    await row(page, failed).getByText('5 ms').waitFor();
    await row(page, sms).getByText(SMS.to).waitFor();
    await setLook(page, { theme: 'light', ...PHONE });
    await row(page, failed).getByText('the receiver answered 503').waitFor();
    await row(page, sms).getByText(SMS.to).waitFor();
  });

  it('the error of a job that fails while it is shown appears in its row', async () => {
    const person = await register(api().call);
    shaky.fails = true;
    const id = await submitJob(person, 'shaky', {}, TOMORROW);
    const page = await openPageAs(person, '/', { hasClock: true });
    await isLive(page);
    await row(page, id).getByText('Pending').waitFor();
    await person.patch(`/jobs/${id}`, { run_at: null });

    await passTime(page, row(page, id).getByText('not yet'));
  });

  it('the user chooses the columns with the keyboard, and this browser keeps them for this user', async () => {
    const person = await register(api().call);
    const [id = ''] = await storeFailures(world(), person, [{ message: 'no answer' }]);
    const page = await openPageAs(person, '/');
    await row(page, id).getByText('no answer').waitFor();
    const usual = await headers(page);
    await page.getByRole('button', { name: 'Columns and CSV' }).press('Enter');
    await page.getByRole('menuitemcheckbox', { name: 'Details' }).press('Enter');
    await page.getByRole('menuitemcheckbox', { name: 'Updated' }).press('Enter');
    await page.keyboard.press('Escape');

    const chosen = [...usual.filter((name) => name !== 'Details' && name !== 'Actions'), 'Updated', 'Actions'];
    await until('the columns are shown', async () => (await headers(page)).join() === chosen.join());
    await page.reload();
    await rows(page).first().waitFor();
    expect(await headers(page)).toEqual(chosen);
    await setLook(page, { theme: 'light', ...PHONE });
    await row(page, id).getByText('webhook').waitFor();
    expect(await row(page, id).getByText('no answer').count()).toBe(0);

    const other = await register(api().call);
    await waiting(other, 1);
    await signIn(page, other);
    await page.goto('/');
    await setLook(page, { theme: 'light', width: 1280, height: 800 });
    await rows(page).first().waitFor();
    expect(await headers(page)).toEqual(usual);
  });

  it('the loaded rows are saved as a CSV file with the chosen columns', async () => {
    const person = await register(api().call);
    const [id = ''] = await storeFailures(world(), person, [{ message: '=1+1, "no"' }]);
    const [later = ''] = await waiting(person, 1, { type: 'send_sms', payload: SMS });
    const page = await openPageAs(person, '/');
    await rows(page).nth(1).waitFor();
    await openMenu(page);
    await page.getByRole('menuitemcheckbox', { name: 'Created' }).click();
    const file = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: /^Save as CSV 2 rows/ }).click();

    expect((await file).suggestedFilename()).toMatch(/^jobs-\d{4}-\d\d-\d\d\.csv$/);
    expect((await readFile(await (await file).path(), 'utf8')).split('\r\n')).toEqual([
      '\uFEFFstatus,id,type,tags,about,error_code,error_message,retries,max_retries,duration_ms',
      `pending,${later},send_sms,,'${SMS.to},,,0,0,`,
      `failed,${id},webhook,,,handler_error,"'=1+1, ""no""",0,0,5`,
      '',
    ]);
  });

  it('only the newest of many new jobs are loaded', async () => {
    const person = await register(api().call);
    await waiting(person, 3);
    const page = await openPageAs(person, '/');
    await isLive(page);
    await rows(page).nth(2).waitFor();
    await waiting(person, 140);
    await page.getByRole('button', { name: '140 new jobs' }).click();

    await page.getByText('100 jobs shown').waitFor();
    expect(await rows(page).count()).toBe(100);
  });

  it('selected jobs that have finished can be deleted, and no action is offered that is not possible', async () => {
    const person = await register(api().call);
    const [id = '', other = ''] = await storeFailures(world(), person, [{}, {}]);
    const page = await openPageAs(person, '/');
    await row(page, id).getByRole('checkbox').click();
    const bar = page.getByRole('region', { name: 'Selection' });
    await bar.getByText('1 selected').waitFor();
    expect((await bar.getByRole('button').allInnerTexts()).filter(Boolean)).toEqual([
      'Retry 1',
      'Run again 1…',
      'Delete 1…',
    ]);
    await bar.getByRole('button', { name: 'Delete 1…' }).click();
    await page.getByRole('alertdialog').getByText('Filter: the selected jobs').waitFor();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete 1 job' }).click();

    await row(page, id).waitFor({ state: 'detached' });
    await row(page, other).waitFor();
    expect((await person.get(`/jobs/${id}`)).status).toBe(404);
  });
});

describe('filters and views', () => {
  it('jobs are filtered by error code, by key and by what they are about', async () => {
    const person = await register(api().call);
    const [failed = ''] = await storeFailures(world(), person, [{ code: 'timeout' }]);
    const [sms = ''] = await waiting(person, 1, { type: 'send_sms', payload: SMS, key: 'acme' });
    const page = await openPageAs(person, '/');
    await rows(page).nth(1).waitFor();
    const only = (id: string) =>
      until('one job is shown', async () => (await rows(page).count()) === 1 && row(page, id).isVisible());
    await page.getByRole('button', { name: 'More…' }).click();
    const more = page.getByRole('dialog', { name: 'More filters' });
    await more.getByLabel('Error code').fill('unknown');
    await page.keyboard.press('Enter');
    await more.getByText('Enter one of the error codes.').waitFor();
    await more.getByLabel('Error code').fill('timeout');
    await only(failed);
    await more.getByLabel('Error code').fill('');
    await more.getByLabel('Key').fill('acme');
    // Closing it applies what was typed.
    await page.keyboard.press('Escape');
    await only(sms);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await rows(page).nth(1).waitFor();

    await row(page, sms)
      .getByRole('button', { name: /^Actions/ })
      .click();
    await page.getByRole('menuitem', { name: `Only about ${SMS.to}` }).click();
    await only(sms);
    expect(searchOf(page)).toEqual({ about: SMS.to });
    expect(await page.getByRole('button', { name: 'Change all that match' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Remove filter About' }).click();
    await rows(page).nth(1).waitFor();
  });

  it('filters are saved under a name for one user and organization, applied and deleted', async () => {
    const person = await register(api().call);
    await storeFailures(world(), person, [{}]);
    const page = await openPageAs(person, '/?status=failed&type=webhook');
    const views = page.getByRole('dialog', { name: 'Views' });
    const openViews = (name: string) => page.getByRole('button', { name, exact: true }).click();
    await openViews('Views');
    await views.getByLabel('Name of a new view').fill('Failed hooks');
    await expectAccessibleInEveryLook(page, 'jobs-views', views);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'View: Failed hooks' }).waitFor();
    await page.goto('/?type=other');
    await openViews('Views');
    await views.getByRole('button', { name: 'Failed hooks', exact: true }).click();
    await rows(page).first().waitFor();
    expect(searchOf(page)).toEqual({ status: 'failed', type: 'webhook' });

    await signIn(page, await register(api().call));
    await page.goto('/?status=failed&type=webhook');
    await openViews('Views');
    await views.getByLabel('Name of a new view').waitFor();
    expect(await views.getByRole('listitem').count()).toBe(0);

    await signIn(page, person);
    await page.goto('/?status=failed&type=webhook');
    await openViews('View: Failed hooks');
    await views.getByRole('button', { name: 'Delete the view Failed hooks' }).click();
    await page.getByRole('button', { name: 'Views', exact: true }).waitFor();
    await page.reload();
    await openViews('Views');
    await views.getByLabel('Name of a new view').waitFor();
    expect(await views.getByRole('listitem').count()).toBe(0);
  });

  it('a bar of the chart, several bars and a row of its table filter the list by time', async () => {
    const person = await register(api().call);
    await storeFailures(world(), person, [{}]);
    const page = await openPageAs(person, '/');
    await rows(page).first().waitFor();
    const bars = page.locator('.recharts-surface').first();
    const { x, y, width, height } = (await bars.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    const STEPS = 48;
    const at = (step: number) => [x + ((width - 44) * (step + 0.5)) / STEPS, y + height / 2] as const;
    const minutes = () => {
      const { created_after: from, created_before: until } = searchOf(page);
      return (Date.parse(String(until)) - Date.parse(String(from))) / 60_000;
    };
    await page.mouse.click(...at(STEPS - 1));
    await page.waitForURL(/created_after/);
    expect(minutes()).toBe(30);
    const lastStep = searchOf(page);

    await page.mouse.move(...at(20));
    await page.mouse.down();
    await page.mouse.move(...at(12));
    await page.mouse.up();
    await page.getByText('No jobs in this period').waitFor();
    expect(minutes()).toBe(9 * 30);

    await page.getByRole('button', { name: 'Show as table' }).click();
    await page
      .getByRole('button', { name: /^Jobs created from/ })
      .first()
      .press('Enter');
    await until('the last step is the filter', () => searchOf(page).created_after === lastStep.created_after);
    expect(searchOf(page)).toEqual(lastStep);
  });
});

describe('on a phone', () => {
  it('failed jobs come first, and a number leads to its list', async () => {
    const person = await register(api().call);
    await storeFailures(
      world(),
      person,
      Array.from({ length: 12 }, () => ({})),
    );
    const page = await openPageAs(person, '/', PHONE);
    const tiles = page.getByLabel('Jobs by status').getByRole('link');
    await tiles.first().getByText('12', { exact: true }).waitFor();
    expect(await tiles.first().textContent()).toMatch(/^Failed/);
    const list = page.getByRole('list', { name: 'Jobs, newest first' });
    const top = async () => (await list.boundingBox())?.y ?? Number.NaN;
    expect(await top()).toBeLessThan((await page.getByText('Throughput').first().boundingBox())?.y ?? 0);
    const before = await top();
    await tiles.first().click();

    await page.waitForURL(/status=failed/);
    await until('the list is scrolled up', async () => (await top()) < before - 100);
    expect(await page.evaluate(() => scrollY)).toBeGreaterThan(100);
  });

  it('the retry of a group is at the foot of the screen while the group is shown', async () => {
    const person = await register(api().call);
    await storeFailures(world(), person, [{ message: 'no answer' }, { code: 'timeout', message: 'took too long' }]);
    const page = await openPageAs(person, '/?view=failures', PHONE);
    const retry = page.getByRole('button', { name: /^Retry all/ }).first();
    await retry.waitFor();
    const group = page
      .getByRole('list', { name: /^Groups of failures/ })
      .getByRole('listitem')
      .first();
    // The beginning of the group is at the end of the screen.
    await group.evaluate((item) => scrollTo(0, scrollY + item.getBoundingClientRect().top - innerHeight + 150));

    const box = await retry.boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(PHONE.height);
    expect(box?.height).toBeGreaterThanOrEqual(44);
  });
});
