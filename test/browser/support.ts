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
  /** A context for this test alone, as for tabs that are siblings, or for what a tab cannot be rid of: its clock, its scripts. */
  context(look?: Partial<Look>): Promise<BrowserContext>;
  /** A tab at a path. It shares nothing with other tabs or tests. */
  openPage(path: string, options?: TabOptions): Promise<Page>;
  /** Faults of that kind are what this test provokes. */
  allow(fault: RegExp): void;
  /** A tab at a path, signed in as that person. It shares nothing with other tabs or tests. */
  openPageAs(person: Person, path: string, options?: TabOptions): Promise<Page>;
  /** Somebody else in that person's organization, with an organization of their own beside. A member unless told. */
  memberOf(person: Person, role?: Role): Promise<Person>;
}

/**
 * A world with an API and a browser for a test file. A test fails when one of its pages writes an error to the console,
 * throws, breaks its policy, or asks another host for anything. `settings` are the API's, beside the usual ones.
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
    const faults = pool.endWatch();
    const provoked = allowed;
    allowed = [];
    await pool.reset();
    expect(faults.filter((fault) => !provoked.some((kind) => kind.test(fault)))).toEqual([]);
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
    allow: (fault) => void allowed.push(fault),
    async openPageAs(person, path, options) {
      const page = await pool.take(options);
      await keepToken(page, person);
      await page.goto(path);
      await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor();
      return page;
    },
    memberOf: (person, role = 'member') => addMember(world, api, person.orgId, role),
  };
}

/** Gives a tab the person's token, as signing in would. */
export async function signIn(page: Page, { token }: { token: string }): Promise<void> {
  await page.goto('/theme.js'); // of the origin, and no page that would look for a token
  await keepToken(page, { token });
}

async function keepToken(page: Page, { token }: { token: string }): Promise<void> {
  await page.evaluate((value) => sessionStorage.setItem('jobline.token', value), token);
}

/** What a person signs in with, into the form of /login. */
export async function fillLogin(page: Page, { email, password }: Pick<Person, 'email' | 'password'>): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}
