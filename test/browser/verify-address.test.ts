import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { hashOf } from '../api/org/team.js';
import { verifyAddresses } from '../api/support.js';
import { register, until } from '../harness/index.js';
import { expectAccessibleInEveryLook } from './looks.js';
import { usePages } from './support.js';

const { allow, api, memberOf, openPage, openPageAs, world } = usePages();

const TOKEN = 'a-token';

/** Gives a person a link that verifies their address. */
async function startProof({ email }: { email: string }, token = TOKEN): Promise<void> {
  const proof = { proofHash: hashOf(token), proofMailedAt: new Date() };
  await until('the link of the registration', async () => {
    const user = await world().db.user.findUniqueOrThrow({ where: { email } });
    return user.proofMailedAt;
  });
  await world().db.user.update({ where: { email }, data: proof });
}

describe('an address that is not verified', () => {
  it('is shown in the settings and the team, until the link of the email confirms it', async () => {
    const owner = await register(api().call);
    const admin = await memberOf(owner, 'admin');
    const member = await memberOf(owner, 'member');
    await startProof(owner);

    const page = await openPageAs(owner, '/settings');
    const own = page.getByText('Your email address is not confirmed');
    const others = page.getByText('Owners and admins without a confirmed address').locator('..');
    await own.waitFor();
    await others.getByText(admin.email).waitFor();
    expect(await others.textContent()).not.toMatch(new RegExp(`${member.email}|${owner.email}`));
    await expectAccessibleInEveryLook(page, 'settings-unverified', own);

    await page.goto(`/verify#token=${TOKEN}`);
    const confirm = page.getByRole('button', { name: 'Confirm', exact: true });
    await confirm.waitFor();
    await expectAccessibleInEveryLook(page, 'verify', confirm);
    await confirm.click();
    await page.getByText('is confirmed. You get').waitFor();
    await expectAccessibleInEveryLook(page, 'verify-done', page.getByText('is confirmed. You get'));
    expect((await owner.get('/org/members')).body.at(-1)).toMatchObject({ email: owner.email, email_verified: true });

    await page.getByRole('link', { name: 'Team' }).click();
    const row = (email: string) => page.getByRole('row').filter({ hasText: email });
    await row(admin.email).getByText('Unconfirmed').waitFor();
    expect(await row(owner.email).getByText('Unconfirmed').count()).toBe(0);
    await expectAccessibleInEveryLook(page, 'team-unverified', page.getByText('Unconfirmed').first());

    await verifyAddresses(world(), admin);
    await page.goto('/settings');
    await page.getByRole('region', { name: 'Alerts', exact: true }).waitFor();
    expect(await page.getByText(/not confirmed|without a confirmed address/).count()).toBe(0);
  });

  it('gets another link on request, and an error for one that is not valid', async () => {
    allow(/status of (404|409)/);
    const owner = await register(api().call);
    await startProof(owner);
    const page = await openPageAs(owner, '/verify#token=another');
    await page.getByRole('button', { name: 'Confirm', exact: true }).click();
    await page.getByText('This link is invalid, has expired or belongs to another account.').first().waitFor();
    await page.getByRole('button', { name: 'Send me a link' }).click();
    await page
      .getByText(/a link was emailed to it in the last 24 hours/)
      .first()
      .waitFor();

    await world().db.user.update({ where: { email: owner.email }, data: { proofMailedAt: null } });
    await page.getByRole('button', { name: 'Send me a link' }).click();
    await page.getByText('The link is on its way to you').first().waitFor();
    await page.goto('/verify');
    await page.getByText('The link is incomplete').waitFor();
  });

  it('is confirmed after signing in, if the link is opened without a session', async () => {
    const owner = await register(api().call);
    await startProof(owner);
    const page = await openPage(`/verify#token=${TOKEN}`);
    await page.getByLabel('Email').fill(owner.email);
    await page.getByLabel('Password', { exact: true }).fill(owner.password);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Confirm', exact: true }).click();
    await page.getByText('is confirmed. You get').waitFor();
  });
});

describe('the link of a notice', () => {
  it('opens its page in its organization, and not an organization of others', async () => {
    const owner = await register(api().call);
    const guest = await memberOf(owner, 'admin');
    const home = (await guest.get('/auth/me')).body.orgs.find(({ id }: { id: string }) => id !== owner.orgId);
    const { id } = (await owner.post('/org/webhooks', { url: 'https://hooks.example.com/', events: ['*'] })).body;
    await guest.post('/auth/switch', { org_id: home.id });

    const page = await openPageAs(guest, `/webhooks?org=${owner.orgId}&id=${id}`);
    await page.getByText('https://hooks.example.com/').first().waitFor();
    expect(new URL(page.url()).search).toBe(`?id=${id}`);
    await page.goto(`/?org=${home.id}&status=failed`);
    await page.getByRole('button', { name: `Organization: ${home.name}. Switch` }).waitFor();
    expect(new URL(page.url()).search).toBe('?status=failed');
    await page.goto(`/?org=${randomUUID()}&status=failed`);
    await page.getByRole('button', { name: `Organization: ${home.name}. Switch` }).waitFor();
    expect(new URL(page.url()).search).toBe('?status=failed');
  });
});
