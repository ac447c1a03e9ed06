import { describe, expect, it } from 'vitest';
import { register, until } from '../harness/index.js';
import { expectAccessibleInEveryLook, NARROW, setLook } from './looks.js';
import { passTime } from './page-pool.js';
import { usePages } from './support.js';
import { bodyOf, inFrame, store } from './templates-support.js';

const { allow, api, memberOf, openPageAs } = usePages();

describe('writing a template', () => {
  it('begins with a welcome mail, shows what the reader will see, adds what is missing, and saves', async () => {
    const person = await register(api().call);
    const page = await openPageAs(person, '/templates');
    await page.getByRole('link', { name: 'Start from a welcome mail' }).click();
    await page.getByText('Welcome to Acme,').waitFor();
    await page.getByRole('button', { name: 'Add name to the data' }).click();
    await page.keyboard.type('Zawadi'); // the caret is where the value goes
    await page.getByText('Welcome to Acme, Zawadi').waitFor();
    await inFrame(page).getByRole('heading', { name: 'Welcome, Zawadi' }).waitFor();
    await until('nothing is missing', async () => (await page.getByText('Missing:').count()) === 0);

    await page.keyboard.press('Control+s');
    await page
      .getByText('Saved just now')
      .or(page.getByText(/^Saved/))
      .first()
      .waitFor();
    const [stored] = (await person.get('/org/templates')).body;
    expect(stored).toMatchObject({ name: 'Welcome', kind: 'email' });
    await until('the address has it', () => new URL(page.url()).searchParams.get('id') === stored.id);
    // The data outlives the saving.
    await page.getByText('Welcome to Acme, Zawadi').waitFor();
    await page.getByRole('row').filter({ hasText: 'Welcome' }).waitFor();

    await bodyOf(page).fill('<p>Hello, {{ name }}</p>');
    await page.getByText('Not saved').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/^Saved/).waitFor();
    expect((await person.get(`/org/templates/${stored.id}`)).body.body).toBe('<p>Hello, {{ name }}</p>');
    await page.reload();
    await until('it is shown as saved', async () => (await bodyOf(page).inputValue()) === '<p>Hello, {{ name }}</p>');
    expect(await page.getByText('Not saved').count()).toBe(0);
  });

  it('shows the last text that was written, though an older answer comes later', async () => {
    const page = await openPageAs(await register(api().call), '/templates?new=1');
    let releaseOld: (() => void) | undefined;
    await page.route('**/org/templates/preview', async (route) => {
      if (route.request().postDataJSON().body === 'old') {
        await new Promise<void>((resolve) => {
          releaseOld = resolve;
        });
      }
      await route.continue().catch(() => undefined); // the page has given it up
    });
    await bodyOf(page).fill('old');
    await until('the old one is asked for', () => releaseOld !== undefined);
    await bodyOf(page).fill('new');
    const shown = page.locator('[data-preview]');
    await shown.getByText('new', { exact: true }).waitFor();
    releaseOld?.();
    await bodyOf(page).fill('newest');
    await shown.getByText('newest', { exact: true }).waitFor();
    expect(await shown.getByText('old').count()).toBe(0);
  });

  it('says what cannot be filled or read, and keeps the last that could', async () => {
    const page = await openPageAs(await register(api().call), '/templates?new=1');
    await bodyOf(page).fill('Hello {{ name }}');
    await page.locator('[data-preview]').getByText('Hello').waitFor();
    await bodyOf(page).fill('Hello {{ name');
    await page.getByRole('alert').filter({ hasText: 'This cannot be filled' }).waitFor();
    await page.locator('[data-preview]').getByText('Hello').waitFor();
    await bodyOf(page).fill('Hello {{ name }}');
    await page.getByLabel('Data (JSON)').fill('{"name": ');
    await page.getByText(/JSON/).first().waitFor();
    expect(await page.getByLabel('Data (JSON)').getAttribute('aria-invalid')).toBe('true');
    expect(await page.getByRole('button', { name: 'Add name to the data' }).isDisabled()).toBe(true);
  });

  it('runs nothing and fetches nothing of the HTML that it shows', async () => {
    const page = await openPageAs(await register(api().call), '/templates?new=1');
    const refused: string[] = [];
    page.on('response', (answer) => void (answer.status() >= 400 && refused.push(answer.url())));
    await bodyOf(page).fill(
      '<h1 onclick="top.x=1">Safe</h1><script>top.x=1</script><img src="https://tracker.example/p.png" alt="">',
    );

    await inFrame(page).getByRole('heading', { name: 'Safe' }).waitFor();
    await page.getByText('1 remote image blocked here').waitFor();
    expect(await page.evaluate(() => 'x' in window)).toBe(false);
    expect(refused, 'what was asked for before there was anything to fill').toEqual([]);
  });

  it('counts what a text will be when it is filled, and is used where texts are written', async () => {
    const person = await register(api().call);
    const page = await openPageAs(person, '/templates?new=1');
    await page.getByLabel('Name', { exact: true }).fill('Code');
    await page.getByLabel('Kind', { exact: true }).click();
    await page.getByRole('option', { name: 'SMS' }).click();
    expect(await page.getByLabel('Subject').count()).toBe(0);
    await bodyOf(page).fill('It’s {{ code }}');
    await page.getByText('carrier: about 1 part (Unicode)').waitFor();
    await page.getByRole('button', { name: "Replace with '" }).click();
    await page.getByLabel('Data (JSON)').fill(JSON.stringify({ code: 'x'.repeat(160) }));
    await page.getByText('2 segments', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/^Saved/).waitFor();

    await page.keyboard.press('Escape');
    await page.getByRole('navigation').getByRole('link', { name: 'SMS' }).click();
    await page.getByRole('button', { name: 'Use a template' }).click();
    await page.getByRole('menuitem', { name: 'Code' }).click();
    const fill = page.getByRole('dialog', { name: 'Fill “Code”' });
    await fill.getByText('Left empty: code').waitFor();
    await fill.getByLabel('code').fill('4711');
    await fill.getByText("It's 4711").waitFor();
    await fill.getByRole('button', { name: 'Use this text' }).click();
    await fill.waitFor({ state: 'detached' });
    expect(await page.getByLabel('Message', { exact: true }).inputValue()).toBe("It's 4711");
    expect((await person.get('/sms/messages')).body).toEqual([]);
  });
});

describe('a member', () => {
  it('sees and tries templates, changes none, and is told who does', async () => {
    const owner = await register(api().call);
    const id = await store(owner, { name: 'Hello', kind: 'email', subject: 'Hi {{ name }}', body: 'Dear {{ name }}' });
    const page = await openPageAs(await memberOf(owner), `/templates?id=${id}`);
    await page.getByText(/Only owners and admins of .* change templates/).waitFor();
    await page.getByRole('button', { name: 'Add name to the data' }).click();
    await page.keyboard.type('Ada');
    await page.getByText('Dear Ada').waitFor();

    expect(await bodyOf(page).getAttribute('readonly')).not.toBeNull();
    for (const name of ['Save', 'Delete template']) expect(await page.getByRole('button', { name }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'New template' }).count()).toBe(0);
  });
});

describe('the list', () => {
  it('is walked by keys, and n begins a new one', async () => {
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
    await until('a new one is open', async () => (await page.getByLabel('Name', { exact: true }).inputValue()) === '');
  });

  it('says what failed where it cannot be loaded, and that a template is gone', async () => {
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
    await page.getByText('There is no such template here.').waitFor();
  });
});

it('the templates are accessible in every look: empty, loading, full, in every tab, and for a member', async () => {
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
  await page.getByRole('button', { name: 'Add order to the data' }).click();
  await page.keyboard.type('A-17');
  expect(new URL(page.url()).searchParams.get('tab')).toBe('data');
  await expectAccessibleInEveryLook(page, 'templates-data', page.getByLabel('Data (JSON)'), [NARROW]);

  const other = await openPageAs(await memberOf(person), `/templates?id=${id}`);
  await expectAccessibleInEveryLook(other, 'templates-member', other.getByText(/Only owners and admins/));
});
