import { describe, expect, it } from 'vitest';
import { register, until } from '../harness/index.js';
import { expectAccessibleInEveryLook } from './looks.js';
import { fillLogin, signIn, usePages } from './support.js';
import { pathOf } from './team-support.js';

const { api, context, memberOf, openPage, openPageAs } = usePages();

describe('the registration page', () => {
  it('registering creates an organization and opens its jobs page, signed in', async () => {
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

  it('validation errors are shown at their fields, and the first invalid field gets the focus', async () => {
    const page = await openPage('/register');
    await page.getByLabel('Organization').fill('Acme');
    await page.getByLabel('Email').fill('not-an-address');
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

  it('the hint counts the bytes of a password that is close to the limit', async () => {
    const page = await openPage('/register');
    await page.getByLabel('Password', { exact: true }).fill('é'.repeat(35));

    await page.getByText('70 of at most 72 bytes').waitFor();
  });
});

describe('the sign-in page', () => {
  it('signing in works with the keyboard only and opens the page that was requested', async () => {
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

  it('a wrong password shows an error and keeps both fields', async () => {
    const person = await register(api().call);
    const page = await openPage('/login');
    await fillLogin(page, { ...person, password: 'wrong' });

    await page.getByRole('alert').getByText('The email address or the password is wrong.').waitFor();
    expect(await page.getByLabel('Email').inputValue()).toBe(person.email);
    expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe('wrong');
  });

  it.each(['https://evil.example/', '//evil.example/', '/\\evil.example', 'javascript:alert(1)', '/login'])(
    'signing in never redirects to another host or in a loop: next=%s',
    async (next) => {
      const person = await register(api().call);
      const page = await openPage(`/login?next=${encodeURIComponent(next)}`);
      await fillLogin(page, person);

      await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
      expect(page.url()).toBe(`${api().url}/`);
    },
  );

  it('the password is shown on request', async () => {
    const page = await openPage('/login');
    const field = page.getByLabel('Password', { exact: true });
    expect(await field.getAttribute('type')).toBe('password');
    await page.getByRole('button', { name: 'Show password' }).click();
    expect(await field.getAttribute('type')).toBe('text');
  });
});

/** Invites a user and returns the path of the invite link. */
async function invite(email: string): Promise<string> {
  const answer = await (await register(api().call)).post('/org/invite', { email, role: 'member' });
  expect(answer.status, answer.text).toBe(201);
  return pathOf(answer.body.invite_url);
}

describe('the invite page', () => {
  it('an invited user needs only a password to join, and a member sees neither team nor keys', async () => {
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
    await page.getByText(/Only owners and admins of Org \d+ can see this page/).waitFor();

    const again = await openPage(path);
    await again.getByRole('heading', { name: 'This invite has been used' }).waitFor();
  });

  it('an invite opens with the token in the fragment too, and links to the password reset', async () => {
    const page = await openPage((await invite('hash@acme.example')).replace('?', '#'));
    await page.getByText('hash@acme.example').waitFor();
    await page.getByRole('link', { name: 'Get a reset link by email' }).click();
    await page.getByRole('button', { name: 'Send the link' }).waitFor();
  });

  it('an unknown or incomplete invite link is reported as not found', async () => {
    const page = await openPage('/join?token=nonsense');
    await page.getByRole('heading', { name: 'Invite not found' }).waitFor();
    await page.goto('/join');
    await page.getByRole('heading', { name: 'Invite not found' }).waitFor();
  });

  it('an expired invite is reported as expired', async () => {
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

describe('the session', () => {
  it('a new tab takes over the session of another tab', async () => {
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

  it('a new tab takes over the session even if the other tab answers after the timeout', async () => {
    const person = await register(api().call);
    const siblings = await context();
    const first = await siblings.newPage();
    await first.addInitScript(() => {
      const send = BroadcastChannel.prototype.postMessage;
      BroadcastChannel.prototype.postMessage = function (message) {
        // The cast: the test calls this function by its name.
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

  it('signing out ends the session in all tabs and in the API', async () => {
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
    await until('the token is no longer valid', async () => (await person.get('/auth/me')).status === 401);
  });

  it('an expired session opens a dialog over the page, and the rejected request is repeated after sign-in', async () => {
    const person = await register(api().call);
    const page = await openPageAs(person, '/templates'); // this page sends no requests on its own
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

describe('a removed member', () => {
  it('a removed member sees the reason in the sign-in dialog and can sign in to another organization', async () => {
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
    await dialog.getByRole('alert').getByText(`you are no longer a member of ${org.name}`).waitFor();
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
  ])('the page %s is accessible in every theme and width', async (name, path) => {
    const page = await openPage(path);
    await page.waitForLoadState('networkidle');
    await expectAccessibleInEveryLook(page, name, page.getByRole('heading', { level: 1 }));
  });

  it('the invite form is accessible in every theme and width, including its errors', async () => {
    const page = await openPage(await invite('member.with.a.long.address.of.the.warehouse@invited.example'));
    await expectAccessibleInEveryLook(page, 'join', page.getByLabel(/Choose a password/));
    await page.getByRole('button', { name: 'Join' }).click();
    const refused = page.getByRole('textbox', { name: /Choose a password/, description: /Enter a password/ });
    await expectAccessibleInEveryLook(page, 'join-refused', refused);
  });
});
