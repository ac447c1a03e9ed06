import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { letTimePass, register, until } from '../harness/index.js';
import { expectAccessibleInEveryLook } from './looks.js';
import { passTime } from './page-pool.js';
import { usePages } from './support.js';
import { addMember, clipboard, fail, hold, pathOf } from './team-support.js';

const { allow, api, openPage, openPageAs, world } = usePages();

const row = (page: Page, email: string) => page.getByRole('row', { name: new RegExp(email.replaceAll('.', '\\.')) });

async function pick(page: Page, email: string, role: string): Promise<void> {
  await page.getByRole('combobox', { name: `Role of ${email}` }).click();
  await page.getByRole('option', { name: new RegExp(`^${role}`) }).click();
}

describe('invites', () => {
  it('an invited user joins by the link, gets a role, and is signed out within five seconds after removal', async () => {
    const email = 'grace@team.example';
    const owner = await register(api().call);
    const page = await openPageAs(owner, '/team');
    await page.getByText('You are the only member.').waitFor();
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    await page.getByLabel('Email').fill(email);
    await page.getByRole('radio', { name: /^Admin/ }).click();
    await page.getByRole('button', { name: 'Create link' }).click();
    const dialog = page.getByRole('dialog', { name: 'Invite link' });
    await dialog.getByRole('button', { name: 'Copy link' }).click();
    const link = await clipboard(page);
    await dialog.getByText(link, { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await row(page, email).getByText('Admin').waitFor();

    const theirs = await openPage(pathOf(link));
    await theirs.getByLabel(/Choose a password/).fill('correct horse');
    await theirs.getByRole('button', { name: 'Join' }).click();
    await theirs.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
    await theirs.getByRole('link', { name: 'API keys' }).click();
    await theirs.getByRole('main').getByRole('button', { name: 'Create key' }).first().click();
    await theirs.getByLabel('Name').fill('hers');
    await theirs.keyboard.press('Enter');
    await theirs.getByRole('button', { name: 'Copy key' }).click();
    await theirs.getByRole('button', { name: 'Done' }).click();

    await page.reload();
    await pick(page, email, 'Member');
    await until('the role is changed', async () => {
      const members: { email: string; role: string }[] = (await owner.get('/org/members')).body;
      return members.some((one) => one.email === email && one.role === 'member');
    });

    await page.getByRole('button', { name: `Remove ${email}` }).click();
    const question = page.getByRole('alertdialog', { name: `Remove ${email}?` });
    await question.getByText(/keep working until you revoke them/).waitFor();
    await question.getByRole('button', { name: 'Remove' }).click();
    await page.getByText(`${email} is removed`).waitFor();
    letTimePass(5_000); // how long an API process may cache a session
    const ended = theirs.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
    const click = theirs.getByRole('link', { name: 'Templates' }).click();
    await Promise.race([click.catch(() => undefined), ended]); // the dialog may cover the link before the click
    await ended;
    await page.getByText('1 API key that they created still works.').waitFor();
    await page.getByRole('link', { name: 'Review keys' }).click();
    await row(page, 'hers').waitFor();
  });

  it('a new link replaces the previous one, and a revoked invite disappears immediately', async () => {
    const owner = await register(api().call);
    const first = (await owner.post('/org/invite', { email: 'ann@team.example', role: 'member' })).body.invite_url;
    const page = await openPageAs(owner, '/team');
    await page.getByRole('button', { name: 'New link for ann@team.example' }).click();
    const dialog = page.getByRole('dialog', { name: 'New link' });
    await dialog.getByRole('button', { name: 'Copy link' }).click();
    const second = await clipboard(page);
    await dialog.getByRole('button', { name: 'Done' }).click();
    const stale = await openPage(pathOf(first));
    await stale.getByRole('heading', { name: 'Invite not found' }).waitFor();

    await page.getByRole('button', { name: 'Revoke the invite of ann@team.example' }).click();
    await page.getByText('No pending invites.').waitFor();
    await until('the invite is revoked', async () => (await owner.get('/org/invites')).body.length === 0);
    const heading = page.getByRole('heading', { level: 1 });
    await until('the heading has the focus', () => heading.evaluate((h1) => h1 === document.activeElement));
    await stale.goto(pathOf(second));
    await stale.getByRole('heading', { name: 'Invite not found' }).waitFor();
  });

  it('the invite dialog cannot be closed while the link is created', async () => {
    const page = await openPageAs(await register(api().call), '/team');
    const release = await hold(page, '**/org/invite');
    await page.keyboard.press('n');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Email').fill('late@team.example');
    await page.keyboard.press('Enter');
    await until('the request is running', async () => (await dialog.locator('[aria-busy=true]').count()) > 0);
    await page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    release();
    await page.getByRole('dialog', { name: 'Invite link' }).waitFor();
  });

  it('an invite whose revocation failed returns to the list with an error', async () => {
    allow(/status of 503/);
    const owner = await register(api().call);
    await owner.post('/org/invite', { email: 'eve@team.example', role: 'member' });
    const page = await openPageAs(owner, '/team');
    await fail(page, '**/org/invites/*', 'DELETE');
    await page.getByRole('button', { name: 'Revoke the invite of eve@team.example' }).click();
    await page.getByText('The invite of eve@team.example was not revoked').first().waitFor();
    await row(page, 'eve@team.example').waitFor();
  });

  it('inviting an existing member is rejected at the field', async () => {
    const owner = await register(api().call);
    const page = await openPageAs(owner, '/team');
    await page.keyboard.press('n');
    await page.getByLabel('Email').fill(owner.email);
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Email', description: /address of a member/ }).waitFor();
  });
});

describe('roles', () => {
  it('a new role is shown immediately and reverted if the API rejects it', async () => {
    allow(/status of 503/);
    const owner = await register(api().call);
    await addMember(api(), owner, 'bob@team.example', 'member');
    const page = await openPageAs(owner, '/team');
    await fail(page, '**/org/members/*', 'PATCH');
    await pick(page, 'bob@team.example', 'Owner');
    await page.getByText('bob@team.example is still a member').first().waitFor();
    const role = page.getByRole('combobox', { name: 'Role of bob@team.example' });
    expect(await role.textContent()).toBe('Member');
    await page.unroute('**/org/members/*');
    const release = await hold(page, '**/org/members/*');
    await pick(page, 'bob@team.example', 'Admin');
    await until('the new role is shown', async () => (await role.textContent()) === 'Admin');
    release();
  });

  it('the last owner can neither lose the role nor be removed, and the page says why', async () => {
    const owner = await register(api().call);
    await addMember(api(), owner, 'carl@team.example', 'admin');
    const page = await openPageAs(owner, '/team');
    const remove = page.getByRole('button', { name: `Remove ${owner.email}` });
    await remove.waitFor();
    expect(await page.getByRole('combobox', { name: `Role of ${owner.email}` }).count()).toBe(0);
    await page.getByText(/the last owner keeps the role/).waitFor({ state: 'attached' });
    expect(await remove.getAttribute('aria-disabled')).toBe('true');
    await remove.focus();
    await page.getByRole('tooltip', { name: /The last owner cannot be removed/ }).waitFor();

    await pick(page, 'carl@team.example', 'Owner');
    await page.getByRole('combobox', { name: `Role of ${owner.email}` }).waitFor();
    await remove.hover();
    await page.getByRole('tooltip', { name: /You cannot remove yourself; another owner can/ }).waitFor();
  });

  it('an owner can give up their own role after a confirmation, and the page adapts', async () => {
    const owner = await register(api().call);
    const other = await addMember(api(), owner, 'dora@team.example', 'admin');
    const { user } = (await other.get('/auth/me')).body;
    await world().db.membership.updateMany({ where: { userId: user.id }, data: { role: 'owner' } });
    const page = await openPageAs(owner, '/team');
    await pick(page, owner.email, 'Admin');
    await page.getByRole('alertdialog', { name: 'Become an admin?' }).getByRole('button', { name: 'Give up' }).click();
    await page
      .getByText('Only owners can invite people, change roles and remove members: ask dora@team.example.')
      .waitFor();
    expect(await page.getByRole('button', { name: 'Invite', exact: true }).count()).toBe(0);
  });
});

describe('the rights of admins and members', () => {
  it('an admin sees the team but cannot change it, and a member does not see it', async () => {
    const owner = await register(api().call);
    const admin = await addMember(api(), owner, 'amy@team.example', 'admin');
    const page = await openPageAs(admin, '/team?invite=1');
    await page.getByText(`ask ${owner.email}`).waitFor();
    await row(page, owner.email).getByRole('cell', { name: 'Owner', exact: true }).waitFor();
    expect(
      await page
        .getByRole('main')
        .getByRole('button', { name: /Invite|Remove|Revoke/ })
        .count(),
    ).toBe(0);
    expect(await page.getByRole('dialog').count()).toBe(0);
    const member = await openPageAs(await addMember(api(), owner, 'mel@team.example', 'member'), '/team');
    await member.getByText(/Only owners and admins of .* can see this page/).waitFor();
  });
});

describe('the activity log', () => {
  it('the activity log shows who did what, can be filtered by action, and appends older entries', async () => {
    const owner = await register(api().call);
    await addMember(api(), owner, 'fay@team.example', 'member');
    for (let i = 0; i < 101; i++) await owner.post('/org/sender-ids', { sender_id: `S${i}` });
    const page = await openPageAs(owner, '/team');
    await page.getByRole('tab', { name: 'Activity' }).click();
    await page
      .getByRole('row', { name: /Added sender ID S\d+/ })
      .first()
      .waitFor();
    expect(await page.getByRole('row', { name: /Invited fay@team.example/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Load 100 older' }).click();
    await page.getByRole('row', { name: /Invited fay@team.example as member/ }).waitFor();

    await page.getByRole('combobox', { name: 'Action' }).press('Enter');
    // The list takes the keys once it is open.
    await page.getByRole('option').first().waitFor();
    await page.keyboard.type('accept');
    await page.locator('[role=option][data-highlighted]', { hasText: 'Accepted an invite' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: /Accepted the invite/ }).waitFor();
    await until('only the filtered entry is shown', async () => (await page.getByRole('row').count()) === 2);
    expect(new URL(page.url()).search).toBe('?tab=activity&action=invite.accepted');
    await page.goto('/team?tab=activity&action=domain.removed');
    await page.getByText('No such activity').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page
      .getByRole('row', { name: /Added sender ID S\d+/ })
      .first()
      .waitFor();

    await page.getByRole('combobox', { name: 'Person' }).click();
    await page.getByRole('option', { name: 'fay@team.example' }).click();
    await page
      .getByRole('row', { name: /Added sender ID/ })
      .first()
      .waitFor({ state: 'detached' });
    await page
      .getByRole('row', { name: /fay@team.example/ })
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'When: any time' }).click();
    await page.getByRole('button', { name: 'Last hour' }).click();
    await page.getByRole('button', { name: /^When: since/ }).waitFor();
    await page
      .getByRole('row', { name: /fay@team.example/ })
      .first()
      .waitFor();
    await page.goto('/team?tab=activity&created_before=2020-01-01T00:00:00.000Z');
    await page.getByText('No such activity').waitFor();
  });
});

describe('the team page', () => {
  it('the team page works with the keyboard, shows loading and error states, and can retry', async () => {
    allow(/status of 503/);
    const owner = await register(api().call);
    const page = await openPageAs(owner, '/sms', { hasClock: true });
    const release = await hold(page, '**/org/members*');
    await page.goto('/team');
    await page.getByRole('status').getByText('Loading Members').waitFor();
    release();
    await row(page, owner.email).waitFor();
    await page.keyboard.press('n');
    await page.getByRole('dialog', { name: 'Invite someone' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await fail(page, '**/org/members*');
    await page.reload();
    await passTime(page, page.getByRole('alert').getByText('Postgres is unavailable'));
    await page.unroute('**/org/members*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await row(page, owner.email).waitFor();
  });
});

it('the team page is accessible in every theme and width: one member, several, an invite, the activity log', async () => {
  const owner = await register(api().call);
  const at = 'looks.example';
  const page = await openPageAs(owner, '/team');
  await expectAccessibleInEveryLook(page, 'team-empty', page.getByText('You are the only member.'));
  await addMember(api(), owner, `admin@${at}`, 'admin');
  await addMember(api(), owner, `member.with.a.rather.long.address.of.the.warehouse.department@${at}`, 'member');
  await owner.post('/org/invite', { email: `invited@${at}`, role: 'admin' });
  await page.reload();
  await expectAccessibleInEveryLook(page, 'team', page.getByText(`invited@${at}`));
  await page.getByRole('button', { name: `New link for invited@${at}` }).click();
  await expectAccessibleInEveryLook(page, 'team-link', page.getByRole('button', { name: 'Copy link' }));
  await page.goto('/team?invite=1');
  await expectAccessibleInEveryLook(page, 'team-invite', page.getByRole('dialog'));
  await page.goto('/team?tab=activity');
  const activity = page.getByText(/Accepted the invite/).first();
  await expectAccessibleInEveryLook(page, 'activity', activity);
});
