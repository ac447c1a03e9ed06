import { describe, expect, it } from 'vitest';
import { register, until } from '../harness/index.js';
import { usePages } from './support.js';
import { bodyOf, store } from './templates-support.js';

const { api, memberOf, openPageAs, world } = usePages();

describe('saving a template', () => {
  it('unsaved changes are kept for their organization when the user switches to another one', async () => {
    const person = await memberOf(await register(api().call), 'admin');
    const { org, orgs } = (await person.get('/auth/me')).body;
    const other = orgs.find(({ id }: { id: string }) => id !== org.id);
    const id = await store(person, { name: 'Ours', kind: 'sms', body: 'Hi' });
    const page = await openPageAs(person, `/templates?id=${id}`);
    await bodyOf(page).fill('Hi from us');
    await page.getByText('Not saved').waitFor();
    const go = async ({ name }: { name: string }) => {
      await page.getByRole('button', { name: /^Organization/ }).click();
      await page.getByRole('menuitemcheckbox', { name }).click();
      await page.getByRole('button', { name: `Organization: ${name}. Switch` }).waitFor();
    };
    await go(other);
    await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
    await page.getByRole('link', { name: 'Templates', exact: true }).click();
    await page.getByText('No templates.').waitFor();

    await go(org);
    await page.getByRole('link', { name: 'Templates', exact: true }).click();
    await page.getByRole('link', { name: 'Ours' }).click();
    await page.getByText('Not saved').waitFor();
    expect(await bodyOf(page).inputValue()).toBe('Hi from us');
    expect((await person.get(`/org/templates/${id}`)).body.body).toBe('Hi');
  });

  it('an opened template shows what another user has saved since', async () => {
    const person = await register(api().call);
    const id = await store(person, { name: 'Shared', kind: 'sms', body: 'old' });
    const page = await openPageAs(person, '/templates');
    await page.getByRole('link', { name: 'Shared' }).click();
    await until('the template is open', async () => (await bodyOf(page).inputValue()) === 'old');
    await page.getByRole('navigation').getByRole('link', { name: 'SMS' }).click();
    await page.getByRole('heading', { level: 1, name: 'SMS' }).waitFor();
    const body = { name: 'Shared', kind: 'sms', body: 'new' };
    expect((await api().call('PUT', `/org/templates/${id}`, { token: person.token, body })).status).toBe(200);

    await page.goBack();
    await until('the new body is shown', async () => (await bodyOf(page).inputValue()) === 'new');
    await page.getByText(/^Saved/).waitFor();
    expect(await page.getByText('Not saved').count()).toBe(0);
  });

  it('saving twice sends one request, and the status is announced without the time', async () => {
    const page = await openPageAs(await register(api().call), '/templates?new=1');
    await page.getByLabel('Name', { exact: true }).fill('Once');
    await bodyOf(page).fill('Hello');
    let saves = 0;
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/org/templates')) saves++;
    });
    await world().db.$transaction(
      async (tx) => {
        await tx.$executeRaw`LOCK TABLE templates IN EXCLUSIVE MODE`;
        await page.keyboard.press('Control+s');
        await page.getByRole('status').getByText('Saving…').waitFor();
        await page.keyboard.press('Control+s');
      },
      { timeout: 60_000 },
    );
    const state = page.getByRole('status').getByText('Saved', { exact: true });
    await state.waitFor();
    expect(saves).toBe(1);
  });

  it('a name that is taken is reported at its field, and leaving unsaved changes asks for a confirmation', async () => {
    const person = await register(api().call);
    await store(person, { name: 'Taken', kind: 'email', body: 'Hi' });
    const page = await openPageAs(person, '/templates?new=1');
    await page.getByLabel('Name', { exact: true }).fill('Taken');
    await bodyOf(page).fill('Hello');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Already exists.').waitFor();

    await page.getByRole('link', { name: 'Taken' }).click();
    const ask = page.getByRole('alertdialog', { name: 'Leave without saving?' });
    await ask.getByRole('button', { name: 'Keep editing' }).click();
    expect(await bodyOf(page).inputValue()).toBe('Hello');
    await page.getByRole('navigation').getByRole('link', { name: 'SMS' }).click();
    await ask.getByRole('button', { name: 'Discard changes' }).click();
    await page.getByRole('heading', { level: 1, name: 'SMS' }).waitFor();
    await page.goBack();
    await bodyOf(page).waitFor();
    expect(await bodyOf(page).inputValue()).toBe('');
    expect((await person.get('/org/templates')).body).toHaveLength(1);
  });

  it('deleting a template asks for a confirmation with its name', async () => {
    const person = await register(api().call);
    const id = await store(person, { name: 'Old news', kind: 'pdf', body: '<p>{{ total }}</p>' });
    const page = await openPageAs(person, `/templates?id=${id}`);
    await page.getByRole('button', { name: 'Delete template' }).click();
    const ask = page.getByRole('alertdialog', { name: 'Delete “Old news”?' });
    await ask.getByRole('button', { name: 'Delete template' }).click();

    await page.getByText('No templates.').waitFor();
    expect((await person.get('/org/templates')).body).toEqual([]);
  });
});
