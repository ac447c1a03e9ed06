import type { Role } from '@jobline/contracts';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { addMember } from '../api/support.js';
import { type ApiOptions, createWorld, openBrowser, type Person, type TestApi, type World } from '../harness/index.js';
import type { Look } from './looks.js';
import { createPagePool, type PagePool, type TabOptions } from './page-pool.js';

export interface Pages {
  world: () => World;
  api: () => TestApi;
  /**
   * Opens a context for this test only. Needed for tabs that share storage, and for clocks and init scripts, which
   * stay.
   */
  context(look?: Partial<Look>): Promise<BrowserContext>;
  /** Opens a path in a tab that shares nothing with other tabs or tests. */
  openPage(path: string, options?: TabOptions): Promise<Page>;
  /** Allows the page errors that match, because the test causes them. */
  allow(error: RegExp): void;
  /** Opens a path in a tab that is signed in as this person. The tab shares nothing with other tabs or tests. */
  openPageAs(person: Person, path: string, options?: TabOptions): Promise<Page>;
  /** Creates another user in this person's organization, who also has their own organization. Default role: member. */
  memberOf(person: Person, role?: Role): Promise<Person>;
}

/**
 * Starts an API and a browser for a test file. A test fails if one of its pages logs an error, throws, violates its
 * content security policy, or sends a request to another host. `settings` are additional settings of the API.
 */
export function usePages(settings: () => Promise<Partial<ApiOptions>> = async () => ({})): Pages {
  let world: World;
  let api: TestApi;
  let pool: PagePool;
  let allowed: RegExp[] = [];

  beforeAll(async () => {
    world = await createWorld();
    api = await world.api(await settings());
    pool = createPagePool(await openBrowser(), api.url);
  });
  afterEach(async () => {
    const errors = pool.endWatch();
    const expected = allowed;
    allowed = [];
    await pool.reset();
    expect(errors.filter((error) => !expected.some((pattern) => pattern.test(error)))).toEqual([]);
  });
  afterAll(async () => {
    await pool?.close();
    await world?.end();
  });

  return {
    world: () => world,
    api: () => api,
    context: (look) => pool.newContext(look),
    async openPage(path, options) {
      const page = await pool.take(options);
      await page.goto(path);
      return page;
    },
    allow: (error) => void allowed.push(error),
    async openPageAs(person, path, options) {
      const page = await pool.take(options);
      await storeToken(page, person);
      await page.goto(path);
      await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor();
      return page;
    },
    memberOf: (person, role = 'member') => addMember(world, api, person.orgId, role),
  };
}

/** Stores the person's token in a tab, as signing in would. */
export async function signIn(page: Page, { token }: { token: string }): Promise<void> {
  await page.goto('/theme.js'); // on the origin, but not a page that would look for a token
  await storeToken(page, { token });
}

async function storeToken(page: Page, { token }: { token: string }): Promise<void> {
  await page.evaluate((value) => sessionStorage.setItem('jobline.token', value), token);
}

/** Fills and submits the form of /login. */
export async function fillLogin(page: Page, { email, password }: Pick<Person, 'email' | 'password'>): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}
