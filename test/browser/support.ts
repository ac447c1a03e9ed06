import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Role } from '@jobline/contracts';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { addMember } from '../api/support.js';
import { type ApiOptions, createWorld, type Person, startBrowser, type TestApi, type World } from '../harness/index.js';

/** Every combination that a page must look right in. */
export const LOOKS = [
  { theme: 'light', width: 1440 },
  { theme: 'dark', width: 1440 },
  { theme: 'light', width: 375 },
  { theme: 'dark', width: 375 },
] as const;
export interface Look {
  theme: 'light' | 'dark';
  width: number;
  /** Of the window; as usual for its width if not given. */
  height?: number;
}

export interface Pages {
  world: () => World;
  api: () => TestApi;
  /** A context of its own: nothing is shared with other tests. Tabs of one context are siblings. */
  context(look?: Partial<Look>): Promise<BrowserContext>;
  /** A tab of a new context, at a path. */
  openPage(path: string, look?: Partial<Look>): Promise<Page>;
  /** Faults of that kind are what this test provokes. */
  allow(fault: RegExp): void;
  /** A tab of a new context, signed in as that person, at a path. */
  openPageAs(person: Person, path: string, look?: Partial<Look>): Promise<Page>;
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
  let browser: Browser;
  let contexts: BrowserContext[] = [];
  const faults: string[] = [];
  let allowed: RegExp[] = [];

  beforeAll(async () => {
    world = await createWorld();
    [api, browser] = await Promise.all([world.api(await settings()), startBrowser()]);
  });
  afterEach(async () => {
    await Promise.all(contexts.map((context) => context.close()));
    contexts = [];
    const provoked = allowed;
    allowed = [];
    expect(faults.splice(0).filter((fault) => !provoked.some((kind) => kind.test(fault)))).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    await world?.end();
  });

  async function context(look: Partial<Look> = {}): Promise<BrowserContext> {
    const { theme = 'light', width = 1440, height = width < 768 ? 812 : 900 } = look;
    const made = await browser.newContext({
      baseURL: api.url,
      colorScheme: theme,
      viewport: { width, height },
      hasTouch: width < 768,
      reducedMotion: 'reduce',
      locale: 'en-GB',
      timezoneId: 'Africa/Nairobi',
    });
    made.setDefaultTimeout(30_000);
    contexts.push(made);
    made.on('page', (page) => watch(page, api.url, faults));
    return made;
  }

  async function openPage(path: string, look?: Partial<Look>): Promise<Page> {
    const page = await (await context(look)).newPage();
    await page.goto(path);
    return page;
  }

  return {
    world: () => world,
    api: () => api,
    context,
    openPage,
    allow: (fault) => void allowed.push(fault),
    async openPageAs(person, path, look) {
      const made = await context(look);
      const page = await made.newPage();
      await signIn(page, person);
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
  await page.evaluate((value) => sessionStorage.setItem('jobline.token', value), token);
}

/** What a person signs in with, into the form of /login. */
export async function fillLogin(page: Page, { email, password }: Pick<Person, 'email' | 'password'>): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

function watch(page: Page, origin: string, faults: string[]): void {
  page.on('console', (message) => {
    // The browser's own line about an answer of 4xx: those are part of what is tested.
    const isRefusal = /^Failed to load resource: the server responded with a status of 4\d\d/.test(message.text());
    if (message.type() === 'error' && !isRefusal) faults.push(`console: ${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => faults.push(`thrown: ${error.message}`));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !/^(blob|data|about):/.test(url)) faults.push(`asks another host: ${url}`);
  });
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Finding {
  id: string;
  impact: string | null;
  help: string;
  nodes: { html: string; failureSummary?: string }[];
}

/** No serious or critical finding of axe, and nothing to scroll sideways. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(AXE); // through the debugger, which the page's policy does not bind
  const findings = await page.evaluate<Finding[]>(
    "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)",
  );
  const grave = findings.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  expect(
    grave.map(
      ({ id, help, nodes }) => `${id}: ${help}\n${nodes.map((n) => `${n.html} ${n.failureSummary}`).join('\n')}`,
    ),
  ).toEqual([]);
  const sideways = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(sideways, 'pixels to scroll sideways').toBeLessThanOrEqual(0);
}

/** Keeps a small picture of the page (256 colours) where SCREENSHOTS says; without that, nothing. */
export async function screenshot(page: Page, name: string, { theme, width }: Look): Promise<void> {
  const dir = process.env.SCREENSHOTS;
  if (!dir) return;
  mkdirSync(dir, { recursive: true });
  const whole = await page.screenshot({ animations: 'disabled', caret: 'hide' });
  await sharp(whole)
    .png({ palette: true, effort: 10, compressionLevel: 9, dither: 0 })
    .toFile(join(dir, `${name}-${theme}-${width}.png`));
}
