import { describe, expect, it } from 'vitest';
import { register, until } from '../harness/index.js';
import { usePages } from './support.js';
import { store } from './templates-support.js';

const { api, openPageAs } = usePages();

describe('using a template', () => {
  it('a test of a template is sent with the keyboard alone, from its example data, on a phone too', async () => {
    const person = await register(api().call);
    const welcome = { name: 'Welcome', kind: 'email', subject: 'Hi {{ name }}', body: '<p>{{ name }} {{ city }}</p>' };
    const id = await store(person, { ...welcome, sample: { name: 'Ada' } });
    for (const width of [1_440, 375]) {
      const page = await openPageAs(person, `/templates?id=${id}`, { width });
      if (width === 375) await page.getByRole('tab', { name: 'Preview' }).press('Enter');
      await page.getByRole('button', { name: 'Send test' }).press('Enter');
      const test = page.getByRole('dialog', { name: 'Send a test' });
      await test.getByText('Left empty: city').waitFor();
      await page.keyboard.press('Control+a');
      await page.keyboard.type(`test-${width}@example.com`);
      await page.keyboard.press('Enter');
      await page.getByText('Test recorded, not sent').first().waitFor();
    }

    expect((await person.get('/email/messages')).body).toMatchObject([
      { to: 'test-375@example.com', subject: 'Hi Ada' },
      { to: 'test-1440@example.com', subject: 'Hi Ada' },
    ]);
  });

  it('a template opens in a new email, where its fields are filled in', async () => {
    const person = await register(api().call);
    const id = await store(person, { name: 'Hello', kind: 'email', subject: 'Hi {{ name }}', body: 'Dear {{ name }}' });
    const page = await openPageAs(person, `/templates?id=${id}`);
    await page.getByRole('link', { name: 'Use in an email' }).click();
    const fill = page.getByRole('dialog', { name: 'Fill “Hello”' });
    await fill.getByLabel('name').fill('Ada');
    await fill.getByText('Dear Ada').waitFor();
    await fill.getByRole('button', { name: 'Use this text' }).click();
    const email = page.getByRole('dialog', { name: 'New email' });
    await until('the text is taken', async () => (await email.getByLabel('Subject').inputValue()) === 'Hi Ada');
  });

  it('a copy of a template has its own name and its example data', async () => {
    const person = await register(api().call);
    const id = await store(person, { name: 'Code', kind: 'sms', body: '{{ code }}', sample: { code: 7 } });
    const page = await openPageAs(person, `/templates?id=${id}`);
    await page.getByRole('button', { name: 'Duplicate template' }).click();
    await until(
      'the copy is open',
      async () => (await page.getByLabel('Name', { exact: true }).inputValue()) === 'Code (copy)',
    );
    const copy = new URL(page.url()).searchParams.get('id');
    expect((await person.get(`/org/templates/${copy}`)).body).toMatchObject({ kind: 'sms', sample: { code: 7 } });
  });
});
