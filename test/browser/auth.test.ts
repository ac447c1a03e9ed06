import { describe, expect, it } from 'vitest';
import { register, until } from '../harness/index.js';
import { expectAccessibleInEveryLook } from './looks.js';
import { fillLogin, signIn, usePages } from './support.js';
import { pathOf } from './team-support.js';

const { api, context, memberOf, openPage, openPageAs } = usePages();

describe('registering', () => {
  it('makes an organization and lands on its jobs, signed in', async () => {
    const page = await openPage('/register');
    await page.getByLabel('Organization').fill('Acme');
    await page.getByLabel('Email').fill('ada@acme.example');
    await page.getByLabel('Password', { exact: true }).fill('correct horse');
    await page.getByRole('button', { name: 'Register' }).click();

    await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/');
    expect(await page.getByRole('button', { name: 'Account: ada@acme.example' }).count()).toBe(1);
    expect(await page.title()).toBe('Jobs · Jobline');
  });

  it('says at each field what is wrong with it, and goes to the first', async () => {
    const page = await openPage('/register');
    await page.getByLabel('Organization').fill('Acme');
    await page.getByLabel('Email').fill('nobody');
    await page.getByLabel('Password', { exact: true }).fill('short');
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByText('At least 8 characters.').first().waitFor();
    await page.getByLabel('Password', { exact: true }).fill('long enough');
    await page.getByRole('button', { name: 'Register' }).click();

    const email = page.getByRole('textbox', { name: 'Email', description: /valid email/ });
    await email.waitFor();
    expect(await email.getAttribute('aria-invalid')).toBe('true');
    await until('the field has the focus', () => email.evaluate((field) => field === document.activeElement));
  });

  it('counts the bytes of a password that comes near the limit', async () => {
    const page = await openPage('/register');
    await page.getByLabel('Password', { exact: true }).fill('é'.repeat(35));

    await page.getByText('70 of at most 72 bytes').waitFor();
  });
});

describe('signing in', () => {
  it('works with the keyboard alone, and goes on to where one was going', async () => {
    const person = await register(api().call);
    const page = await openPage('/templates');
    await page.getByRole('heading', { name: 'Sign in to Jobline' }).waitFor();
    expect(new URL(page.url()).searchParams.get('next')).toBe('/templates');

    await until('the field has the focus', () =>
      page.getByLabel('Email').evaluate((field) => field === document.activeElement),
    );
    await page.keyboard.type(person.email);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.type(person.password);
    await page.keyboard.press('Enter');

    await page.getByRole('heading', { level: 1, name: 'Templates' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/templates');
  });

  it('says that the address or the password is wrong, and keeps both', async () => {
    const person = await register(api().call);
    const page = await openPage('/login');
    await fillLogin(page, { ...person, password: 'wrong' });

    await page.getByRole('alert').getByText('The email address or the password is wrong.').waitFor();
    expect(await page.getByLabel('Email').inputValue()).toBe(person.email);
    expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe('wrong');
  });

  it.each(['https://evil.example/', '//evil.example/', '/\\evil.example', 'javascript:alert(1)', '/login'])(
    'goes to no other host and in no circle: next=%s',
    async (next) => {
      const person = await register(api().call);
      const page = await openPage(`/login?next=${encodeURIComponent(next)}`);
      await fillLogin(page, person);

      await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
      expect(page.url()).toBe(`${api().url}/`);
    },
  );

  it('shows a password to who asks for it', async () => {
    const page = await openPage('/login');
    const field = page.getByLabel('Password', { exact: true });
    expect(await field.getAttribute('type')).toBe('password');
    await page.getByRole('button', { name: 'Show password' }).click();
    expect(await field.getAttribute('type')).toBe('text');
  });
});

/** Where the link leads that somebody is invited with. */
async function invite(email: string): Promise<string> {
  const answer = await (await register(api().call)).post('/org/invite', { email, role: 'member' });
  expect(answer.status, answer.text).toBe(201);
  return pathOf(answer.body.invite_url);
}

describe('an invite', () => {
  it('takes one password and lands in the organization, where a member sees neither team nor keys', async () => {
    const path = await invite('grace@acme.example');
    const page = await openPage(path);
    await page.getByText('grace@acme.example').waitFor();
    await page.getByLabel(/Choose a password/).fill('correct horse');
    await page.getByRole('button', { name: 'Join' }).click();

    await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
    const pages = page.getByRole('navigation', { name: 'Pages' });
    expect(await pages.getByRole('link').allInnerTexts()).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/Team|keys/)]),
    );
    await page.goto('/team');
    await page.getByText(/Only owners and admins of Org \d+ see this page/).waitFor();

    const again = await openPage(path);
    await again.getByRole('heading', { name: 'This invite has been used' }).waitFor();
  });

  it('is also opened by a link that keeps its token from servers, and helps who does not know the password', async () => {
    const page = await openPage((await invite('hash@acme.example')).replace('?', '#'));
    await page.getByText('hash@acme.example').waitFor();
    await page.getByRole('link', { name: 'Have a link mailed' }).click();
    await page.getByRole('button', { name: 'Send the link' }).waitFor();
  });

  it('says different things of links that were never made and of those that are cut', async () => {
    const page = await openPage('/join?token=nonsense');
    await page.getByRole('heading', { name: 'There is no such invite' }).waitFor();
    await page.goto('/join');
    await page.getByRole('heading', { name: 'There is no such invite' }).waitFor();
  });

  it('says that it has expired', async () => {
    const path = await invite('late@acme.example');
    const page = await openPage('/login');
    await page.route('**/invite?*', (route) =>
      route.fulfill({
        status: 410,
        contentType: 'application/json',
        body: JSON.stringify({ error: { code: 'invite_expired', message: 'It has expired.', request_id: 'x' } }),
      }),
    );
    await page.goto(path);
    await page.getByRole('heading', { name: 'This invite has expired' }).waitFor();
  });
});

describe('a session', () => {
  it('is known in a new tab', async () => {
    const person = await register(api().call);
    const siblings = await context();
    const first = await siblings.newPage();
    await signIn(first, person);
    await first.goto('/');
    await first.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();

    const second = await siblings.newPage();
    await second.goto('/email');
    await second.getByRole('heading', { level: 1, name: 'Email' }).waitFor();
    expect(await second.evaluate(() => Object.keys(localStorage))).not.toContain('jobline.token');
  });

  it('is known in a new tab, also when the first tab answers after the new one has given up waiting', async () => {
    const person = await register(api().call);
    const siblings = await context();
    const first = await siblings.newPage();
    await first.addInitScript(() => {
      const send = BroadcastChannel.prototype.postMessage;
      BroadcastChannel.prototype.postMessage = function (message) {
        // The cast: the test calls it by its name.
        (window as unknown as { answer: () => void }).answer = () => send.call(this, message);
      };
    });
    await signIn(first, person);
    await first.goto('/');
    await first.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();

    const second = await siblings.newPage();
    await second.goto('/email');
    await second.getByRole('heading', { name: 'Sign in to Jobline' }).waitFor();
    await first.evaluate('answer()');
    await second.getByRole('heading', { level: 1, name: 'Email' }).waitFor();
  });

  it('ends in all tabs at once, and with the API', async () => {
    const person = await register(api().call);
    const siblings = await context();
    const [first, second] = [await siblings.newPage(), await siblings.newPage()];
    await signIn(first, person);
    await first.goto('/');
    await first.getByRole('heading', { level: 1 }).waitFor();
    await second.goto('/sms');
    await second.getByRole('heading', { level: 1, name: 'SMS' }).waitFor();

    await first.getByRole('button', { name: /^Account/ }).click();
    await first.getByRole('menuitem', { name: 'Sign out' }).click();

    for (const page of [first, second]) {
      await page.getByRole('heading', { name: 'Sign in to Jobline' }).waitFor();
      expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    }
    await until('the token is worth nothing', async () => (await person.get('/auth/me')).status === 401);
  });

  it('that has expired opens a dialog over the page, and what was asked for is asked again', async () => {
    const person = await register(api().call);
    const page = await openPageAs(person, '/templates'); // which asks for nothing by itself
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('menuitem', { name: 'Change password' }).click();
    await page.getByLabel('Current password').fill(person.password);
    await page.getByLabel('New password').fill('another horse');
    await person.post('/auth/logout');
    await page.getByRole('dialog').getByRole('button', { name: 'Change password' }).click();

    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.waitFor();
    expect(await dialog.getByLabel('Email').inputValue()).toBe(person.email);
    await dialog.getByLabel('Password', { exact: true }).fill(person.password);
    await dialog.getByRole('button', { name: 'Sign in' }).click();

    await page.getByText('The password is changed').first().waitFor();
    expect(new URL(page.url()).pathname).toBe('/templates');
    const login = await api().call('POST', '/auth/login', { body: { email: person.email, password: 'another horse' } });
    expect(login.status).toBe(200);
  });
});

describe('somebody who was removed', () => {
  it('is told so where they sign in again, and goes on in an organization of their own', async () => {
    const owner = await register(api().call);
    const person = await memberOf(owner);
    const page = await openPageAs(person, '/templates');
    const { user, org } = (await person.get('/auth/me')).body;
    await api().call('DELETE', `/org/members/${user.id}`, { token: owner.token });
    await page.getByRole('link', { name: 'Domains' }).click();
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    const password = dialog.getByLabel('Password', { exact: true });
    await until('the field has the focus', () => password.evaluate((field) => field === document.activeElement));
    await password.fill(person.password);
    await page.keyboard.press('Enter');
    await dialog.getByRole('alert').getByText(`you are not in ${org.name} any more`).waitFor();
    await dialog.getByRole('button', { name: 'Sign out' }).click();
    await fillLogin(page, person);
    await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
  });
});

describe('accessibility', () => {
  it.each([
    ['login', '/login'],
    ['forgot', '/login?forgot=1'],
    ['register', '/register'],
    ['join-dead', '/join?token=nonsense'],
    ['reset', '/reset?token=abc'],
  ])('the page %s is accessible in every look', async (name, path) => {
    const page = await openPage(path);
    await page.waitForLoadState('networkidle');
    await expectAccessibleInEveryLook(page, name, page.getByRole('heading', { level: 1 }));
  });

  it('the form of an invite is accessible in every look, its faults included', async () => {
    const page = await openPage(await invite('somebody.with.a.long.address.of.the.warehouse@invited.example'));
    await expectAccessibleInEveryLook(page, 'join', page.getByLabel(/Choose a password/));
    await page.getByRole('button', { name: 'Join' }).click();
    const refused = page.getByRole('textbox', { name: /Choose a password/, description: /Enter a password/ });
    await expectAccessibleInEveryLook(page, 'join-refused', refused);
  });
});
