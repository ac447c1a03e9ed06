import type { Page, Route } from 'playwright-core';
import { expect } from 'vitest';
import { callsAs, type Person, type TestApi } from '../harness/index.js';

/** Creates a user who joins the owner's organization by an invite. */
export async function addMember(
  { call }: TestApi,
  owner: Person,
  email: string,
  role: 'admin' | 'member',
): Promise<Person> {
  const invited = await owner.post('/org/invite', { email, role });
  expect(invited.status, invited.text).toBe(201);
  const password = 'correct horse battery';
  const link = new URL(invited.body.invite_url);
  const joined = await call('POST', '/invite/accept', { body: { token: link.searchParams.get('token'), password } });
  expect(joined.status, joined.text).toBe(200);
  const token: string = joined.body.token;
  return {
    token,
    orgId: owner.orgId,
    email,
    password,
    ...callsAs(call, token),
  };
}

/** Returns the path of a link, for the API under test. */
export function pathOf(link: string): string {
  const { pathname, search, hash } = new URL(link);
  return pathname + search + hash;
}

/** Returns the text in the clipboard. */
export async function clipboard(page: Page): Promise<string> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  return page.evaluate(() => navigator.clipboard.readText());
}

/** A page and a list of the API can have the same path. */
const isPage = (route: Route) => route.request().resourceType() === 'document';

/** Delays the requests for a URL until the returned function is called. */
export async function hold(page: Page, url: string): Promise<() => void> {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(url, async (route) => {
    if (isPage(route)) return route.continue();
    await released;
    await route.continue();
  });
  return release;
}

/** Answers the requests for a URL with 503, until it is unrouted. */
export async function fail(page: Page, url: string, method = 'GET'): Promise<void> {
  await page.route(url, (route) => {
    if (route.request().method() !== method || isPage(route)) return route.continue();
    const error = { code: 'unavailable', message: 'Postgres is unavailable', request_id: 'req-1' };
    return route.fulfill({ status: 503, contentType: 'application/json', body: JSON.stringify({ error }) });
  });
}
