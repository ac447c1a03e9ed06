import type { Role } from '@jobline/contracts';
import type { Logger } from '@jobline/runtime';
import { expect } from 'vitest';
import { type Answered, callsAs, type Person, register, type TestApi, type World } from '../harness/index.js';

/** Asserts a complete error response. `paths`: exactly the paths in its details. */
export function expectError(answer: Answered, status: number, code: string, paths?: string[]): void {
  expect(answer.status, answer.text).toBe(status);
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(answer.body).toEqual({
    error: {
      code,
      message: expect.stringMatching(/^.{5,300}$/),
      request_id: answer.headers.get('x-request-id'),
      ...(answer.body.error.details && { details: expect.any(Array) }),
    },
  });
  expect(answer.text).not.toMatch(/node_modules|prisma|postgres|\bat [\w.<>]+ \(|SELECT |syntax error/i);
  if (paths) expect(new Set(answer.body.error.details.map((d: { path: string }) => d.path))).toEqual(new Set(paths));
}

export function expectUnauthenticated(answer: Answered): void {
  expectError(answer, 401, 'unauthenticated');
  expect(answer.headers.get('www-authenticate')).toBe('Bearer');
}

/** Another user in an organization, who also has an own organization. */
export async function addMember(world: World, api: TestApi, orgId: string, role: Role): Promise<Person> {
  const person = await register(api.call);
  const me = await person.get('/auth/me');
  await world.db.membership.create({ data: { orgId, userId: me.body.user.id, role } });
  const login = { email: person.email, password: person.password, org_id: orgId };
  const token: string = (await api.call('POST', '/auth/login', { body: login })).body.token;
  return { ...person, token, orgId, ...callsAs(api.call, token) };
}

/** Verifies the addresses of people, as the links that are emailed to them do. */
export async function verifyAddresses(world: World, ...people: Person[]): Promise<void> {
  const emails = people.map(({ email }) => email);
  await world.db.user.updateMany({ where: { email: { in: emails } }, data: { provedAt: new Date() } });
}

/** A new API key of a person's organization. */
export async function newKey(person: Person, name = 'a key', access = {}): Promise<{ id: string; key: string }> {
  const answer = await person.post('/org/api-keys', { name, ...access });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}

export interface LogLine {
  level: string;
  message: string;
  fields: Record<string, unknown>;
}

/** A logger that keeps its lines. */
export function keepingLogger(): { log: Logger; lines: LogLine[] } {
  const lines: LogLine[] = [];
  const keep =
    (level: string) =>
    (message: string, fields: Record<string, unknown> = {}) =>
      void lines.push({ level, message, fields });
  return { log: { debug: keep('debug'), info: keep('info'), warn: keep('warn'), error: keep('error') }, lines };
}
