import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { type Answered, letTimePass, type Person, type TestApi, type World } from '../../harness/index.js';
import { expectUnauthenticated } from '../support.js';

export const ANY_TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
export const UNKNOWN_ID = '00000000-0000-0000-0000-000000000000';

/** The id of a signed-in user. */
export async function idOf(person: Person): Promise<string> {
  return (await person.get('/auth/me')).body.user.id;
}

/** Invites an address. Returns the token of the link. */
export async function inviteToken(owner: Person, email: string, role = 'member'): Promise<string> {
  const answer = await owner.post('/org/invite', { email, role });
  expect(answer.status, answer.text).toBe(201);
  return tokenOf(answer);
}

export function tokenOf(answer: Answered): string {
  return new URL(answer.body.invite_url).searchParams.get('token') ?? '';
}

export function accept(api: TestApi, token: string, password = 'a new password'): Promise<Answered> {
  return api.call('POST', '/invite/accept', { body: { token, password } });
}

/** The hash under which the database has a token. */
export function hashOf(token: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(createHash('sha256').update(token).digest());
}

/** Adds so many pending invites to an organization, all issued by one user. */
export async function fillInvites(world: World, orgId: string, invitedBy: string, count: number): Promise<void> {
  await world.db.$executeRaw`
    INSERT INTO invites (id, org_id, email, role, token_hash, invited_by, expires_at)
    SELECT gen_random_uuid(), ${orgId}::uuid, 'many-' || n || '@example.com', 'member',
      decode(md5(random()::text), 'hex'), ${invitedBy}::uuid, now() + interval '1 hour'
    FROM generate_series(1, ${count}::int) n`;
}

/** Makes an invite expire so many milliseconds ago. */
export async function expire(world: World, token: string, ms = 1): Promise<void> {
  const expiresAt = new Date(Date.now() - ms);
  await world.db.invite.update({ where: { tokenHash: hashOf(token) }, data: { expiresAt } });
}

/** Asserts that a session has ended: immediately in the process that ended it, within five seconds elsewhere. */
export async function expectEnded(token: string, { here, elsewhere }: { here: TestApi; elsewhere: TestApi }) {
  expectUnauthenticated(await here.call('GET', '/auth/me', { token }));
  letTimePass(5_000);
  expectUnauthenticated(await elsewhere.call('GET', '/auth/me', { token }));
}
