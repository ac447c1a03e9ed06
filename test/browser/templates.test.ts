import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { register, until } from '../harness/index.js';
import { expectAccessibleInEveryLook, NARROW, setLook } from './looks.js';
import { passTime } from './page-pool.js';
import { usePages } from './support.js';
import { bodyOf, inFrame, store } from './templates-support.js';

const { allow, api, memberOf, openPageAs } = usePages();
const data = (page: Page) => page.getByRole('region', { name: 'Example data' });

describe('editing a template', () => {
  it('a new template starts with a welcome email, previews it, adds missing values, and is saved', async () => {
    const person = await register(api().call);
    const page = await openPageAs(person, '/templates');
    await page.getByRole('link', { name: 'Start with a welcome email' }).click();
    await page.getByText('Welcome to Acme,').waitFor();
    await page.getByText('Left empty: name').waitFor();
    await data(page).getByLabel('name').fill('Zawadi');
    await page.getByText('Welcome to Acme, Zawadi').waitFor();
    await inFrame(page).getByRole('heading', { name: 'Welcome, Zawadi' }).waitFor();
    await until('no value is missing', async () => (await page.getByText('Left empty').count()) === 0);

    await page.keyboard.press('Control+s');
    await page
      .getByText('Saved just now')
      .or(page.getByText(/^Saved/))
      .first()
      .waitFor();
    const [stored] = (await person.get('/org/templates')).body;
    expect(stored).toMatchObject({ name: 'Welcome', kind: 'email' });
    await until('the URL contains the id', () => new URL(page.url()).searchParams.get('id') === stored.id);
    // The data is kept after saving.
    await page.getByText('Welcome to Acme, Zawadi').waitFor();
    await page.getByRole('row').filter({ hasText: 'Welcome' }).waitFor();

    await bodyOf(page).fill('<p>Hello, {{ name }}</p>');
    await page.getByText('Not saved').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/^Saved/).waitFor();
    expect((await person.get(`/org/templates/${stored.id}`)).body).toMatchObject({
      body: '<p>Hello, {{ name }}</p>',
      sample: { company: 'Acme', name: 'Zawadi' },
    });
    await page.reload();
    await until(
      'the saved body is shown',
      async () => (await bodyOf(page).inputValue()) === '<p>Hello, {{ name }}</p>',
    );
    expect(await page.getByText('Not saved').count()).toBe(0);
    await inFrame(page).getByText('Hello, Zawadi').waitFor(); // the preview starts with the stored example data
  });

  it('a text for which the tab has no storage left can still be written and saved', async () => {
    const person = await register(api().call);
    const page = await openPageAs(person, '/templates?new=1');
    await page.evaluate(() => {
      const takes = (size: number) => {
        try {
          sessionStorage.setItem(`full-${size}`, 'x'.repeat(size));
          return true;
        } catch {
          return false;
        }
      };
      for (let size = 2 ** 22; size >= 1; size /= 2) takes(size);
    });
    await page.getByLabel('Name', { exact: true }).fill('Long');
    await page.getByLabel('Subject').fill('Long text');
    await bodyOf(page).fill('a text that is not kept as a draft');
    await page.getByRole('button', { name: 'Save' }).click();
    await page
      .getByText(/^Saved/)
      .first()
      .waitFor();

    expect((await person.get('/org/templates')).body).toMatchObject([{ name: 'Long' }]);
  });

  it('the preview shows the latest text even if an older response arrives later', async () => {
    const page = await openPageAs(await register(api().call), '/templates?new=1');
    let releaseOld: (() => void) | undefined;
    await page.route('**/org/templates/preview', async (route) => {
      if (route.request().postDataJSON().body === 'old') {
        await new Promise<void>((resolve) => {
          releaseOld = resolve;
        });
      }
      await route.continue().catch(() => undefined); // the page may have aborted the request
    });
    await bodyOf(page).fill('old');
    await until('the old preview is requested', () => releaseOld !== undefined);
    await bodyOf(page).fill('new');
    const shown = page.locator('[data-preview]');
    await shown.getByText('new', { exact: true }).waitFor();
    releaseOld?.();
    await bodyOf(page).fill('newest');
    await shown.getByText('newest', { exact: true }).waitFor();
    expect(await shown.getByText('old').count()).toBe(0);
  });

  it('an invalid template or invalid data shows an error, keeps the last valid preview, and is not saved', async () => {
    const person = await register(api().call);
    const page = await openPageAs(person, '/templates?new=1');
    await bodyOf(page).fill('Hello {{ name }}');
    await page.locator('[data-preview]').getByText('Hello').waitFor();
    await bodyOf(page).fill('Hello {{ name');
    await page.getByRole('alert').filter({ hasText: 'The template cannot be rendered' }).waitFor();
    await page.locator('[data-preview]').getByText('Hello').waitFor();
    await bodyOf(page).fill('Hello {{ name }}');
    await data(page).getByRole('button', { name: 'Edit as JSON' }).click();
    await page.getByLabel('Data (JSON)').fill('{"name": ');
    await until('the field is invalid', async () => {
      return (await page.getByLabel('Data (JSON)').getAttribute('aria-invalid')) === 'true';
    });
    await page.getByLabel('Name', { exact: true }).fill('Invalid');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByLabel('Data (JSON)').fill('{"name": "Ada"}');
    await page.locator('[data-preview]').getByText('Hello Ada').waitFor();
    expect((await person.get('/org/templates')).body).toEqual([]);
  });

  it('the preview runs no scripts and loads no remote resources', async () => {
    const page = await openPageAs(await register(api().call), '/templates?new=1');
    const rejected: string[] = [];
    page.on('response', (answer) => void (answer.status() >= 400 && rejected.push(answer.url())));
    await bodyOf(page).fill(
      '<h1 onclick="top.x=1">Safe</h1><script>top.x=1</script><img src="https://tracker.example/p.png" alt="">',
    );

    await inFrame(page).getByRole('heading', { name: 'Safe' }).waitFor();
    await page.getByText('1 remote image blocked here').waitFor();
    expect(await page.evaluate(() => 'x' in window)).toBe(false);
    expect(rejected, 'rejected requests').toEqual([]);
  });

  it('an SMS template counts the rendered text and can be used on the SMS page', async () => {
    const person = await register(api().call);
    const page = await openPageAs(person, '/templates?new=1');
    await page.getByLabel('Name', { exact: true }).fill('Code');
    await page.getByLabel('Kind', { exact: true }).click();
    await page.getByRole('option', { name: 'SMS' }).click();
    expect(await page.getByLabel('Subject').count()).toBe(0);
    await bodyOf(page).fill('It’s {{ code }}');
    await page.getByText('carrier: about 1 part (Unicode)').waitFor();
    await page.getByRole('button', { name: 'Use plain characters' }).click();
    await data(page).getByLabel('code').fill('x'.repeat(160));
    await page.getByText('2 segments', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/^Saved/).waitFor();

    await page.keyboard.press('Escape');
    await page.getByRole('navigation').getByRole('link', { name: 'SMS' }).click();
    await page.getByRole('button', { name: 'Use a template' }).click();
    await page.getByRole('menuitem', { name: 'Code' }).click();
    const fill = page.getByRole('dialog', { name: 'Fill “Code”' });
    await fill.getByText('Left empty: code').waitFor(); // the example data is not sent unnoticed
    await fill.getByLabel('code').fill('4711');
    await fill.getByText("It's 4711").waitFor();
    await fill.getByRole('button', { name: 'Use this text' }).click();
    await fill.waitFor({ state: 'detached' });
    expect(await page.getByLabel('Message', { exact: true }).inputValue()).toBe("It's 4711");
    expect((await person.get('/sms/messages')).body).toEqual([]);
  });
});

describe('the rights of a member', () => {
  it('a member can preview templates but not change them, and sees who can', async () => {
    const owner = await register(api().call);
    const id = await store(owner, { name: 'Hello', kind: 'email', subject: 'Hi {{ name }}', body: 'Dear {{ name }}' });
    const page = await openPageAs(await memberOf(owner), `/templates?id=${id}`);
    await page.getByText(/Only owners and admins of .* can change templates/).waitFor();
    await data(page).getByLabel('name').fill('Ada');
    await page.getByText('Dear Ada').waitFor();

    expect(await bodyOf(page).getAttribute('readonly')).not.toBeNull();
    for (const name of ['Save', 'Duplicate template', 'Delete template'])
      expect(await page.getByRole('button', { name }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'New template' }).count()).toBe(0);
  });
});

describe('the list of templates', () => {
  it('the list is filtered by name, and the URL keeps the filter', async () => {
    const person = await register(api().call);
    for (const name of ['Receipt', 'Welcome', 'Welcome back']) await store(person, { name, kind: 'sms', body: 'x' });
    const page = await openPageAs(person, '/templates');
    const rows = page.getByRole('table', { name: 'Templates' }).getByRole('link');
    await page.getByLabel('Filter by name').fill('welc');
    await until('two are listed', async () => (await rows.count()) === 2);
    expect(new URL(page.url()).searchParams.get('name')).toBe('welc');
    await page.reload();
    await until('two are listed again', async () => (await rows.count()) === 2);
    await page.getByLabel('Filter by name').fill('none of them');
    await page.getByText('No template has this in its name.').waitFor();
  });

  it('the keys j and k move in the list of templates, and n creates a template', async () => {
    const person = await register(api().call);
    await store(person, { name: 'First', kind: 'email', body: 'one' });
    await store(person, { name: 'Second', kind: 'sms', body: 'two' });
    const page = await openPageAs(person, '/templates');
    await page.getByRole('link', { name: 'First' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await until(
      'the first is open',
      async () => (await page.getByLabel('Name', { exact: true }).inputValue()) === 'First',
    );
    await page.keyboard.press('n');
    await until(
      'a new template is open',
      async () => (await page.getByLabel('Name', { exact: true }).inputValue()) === '',
    );
  });

  it('the list shows why it failed to load and can retry, and an unknown template is reported as not found', async () => {
    allow(/status of 503/);
    const person = await register(api().call);
    await store(person, { name: 'Still here', kind: 'email', body: 'x' });
    const page = await openPageAs(person, '/sms', { hasClock: true });
    const error = { code: 'unavailable', message: 'The service cannot reach its database.', request_id: 'req-9' };
    const isList = (url: URL) => url.pathname === '/org/templates';
    await page.route(isList, (route) => route.fulfill({ status: 503, json: { error } }));
    await page.keyboard.press('g');
    await page.keyboard.press('t');
    await passTime(page, page.getByText('The service cannot reach its database.'));
    await page.unroute(isList);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('link', { name: 'Still here' }).waitFor();

    await page.goto('/templates?id=00000000-0000-0000-0000-000000000000');
    await page.getByText('Template not found.').waitFor();
  });
});

it('the templates page is accessible in every theme and width: empty, loading, full, in every tab, and for a member', async () => {
  const person = await register(api().call);
  const page = await openPageAs(person, '/templates');
  await expectAccessibleInEveryLook(page, 'templates-empty', page.getByText('No templates.'));

  const body = `<h1>Thank you, {{ name }}</h1><p>Order {{ order.id }} costs {{ total }}.</p>`;
  await store(person, { name: 'A template whose name is rather long, as some are', kind: 'pdf', body });
  await store(person, { name: 'Code', kind: 'sms', body: 'Your code is {{ code }}' });
  const id = await store(person, { name: 'Receipt', kind: 'email', subject: 'Receipt for {{ order.id }}', body });
  let go: (() => void) | undefined;
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  await page.route(
    (url) => url.pathname === '/org/templates',
    async (route) => {
      await held;
      await route.continue();
    },
  );
  await page.goto('/templates');
  await expectAccessibleInEveryLook(page, 'templates-loading', page.getByText('Loading Templates'));
  go?.();
  await expectAccessibleInEveryLook(page, 'templates-list', page.getByRole('link', { name: 'Receipt' }));

  await page.getByRole('link', { name: 'Receipt' }).click();
  await inFrame(page).getByRole('heading', { name: 'Thank you' }).waitFor();
  await expectAccessibleInEveryLook(page, 'templates-edit', bodyOf(page));
  await setLook(page, { theme: 'light', width: NARROW });
  await page.getByRole('tab', { name: 'Preview' }).click();
  const preview = inFrame(page).getByRole('heading', { name: 'Thank you' });
  await expectAccessibleInEveryLook(page, 'templates-preview', preview, [NARROW]);
  await page.getByRole('button', { name: 'Enter the data' }).click();
  await data(page).getByLabel('name').fill('Ada');
  expect(new URL(page.url()).searchParams.get('tab')).toBe('data');
  await expectAccessibleInEveryLook(page, 'templates-data', data(page), [NARROW]);
  await data(page).getByRole('button', { name: 'Edit as JSON' }).click();
  await expectAccessibleInEveryLook(page, 'templates-json', page.getByLabel('Data (JSON)'), [NARROW]);
  page.once('dialog', (dialog) => void dialog.accept());

  const other = await openPageAs(await memberOf(person), `/templates?id=${id}`);
  await expectAccessibleInEveryLook(other, 'templates-member', other.getByText(/Only owners and admins/));
});
