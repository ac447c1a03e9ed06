import { setTimeout } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Organization, plantOrganization } from '../api/walk/organization.js';
import { until } from '../harness/index.js';
import { expectAccessible } from './looks.js';
import { usePages } from './support.js';

const { api, openPage, openPageAs, world } = usePages();
let org: Organization;
let jobId: string;
let emailId: string;
let invite: { token: string; email: string };
let resetToken: string;

beforeAll(async () => {
  org = await plantOrganization(world(), api(), 'quokka');
  jobId = (await org.doneJob()).id;
  emailId = await org.email();
  invite = await org.invite();
  resetToken = await org.resetToken();
});

interface Shown {
  /** Default: the path of the route. */
  at?: () => string;
  /** The heading of the page. */
  heading: RegExp;
  /** What of the organization is on it. */
  data?: (page: Page) => ReturnType<Page['getByText']>;
}

/** When a page is loaded. */
const MAX_REQUESTS = 15;
const QUIET_MS = 300;

const main = (page: Page) => page.getByRole('main');
const marked = (page: Page) => main(page).getByText(/quokka-\d+/);

/** The routes for users who are signed in. test/architecture/fast.test.ts checks that every route is listed. */
const INSIDE: Record<string, Shown> = {
  '/': { heading: /^Jobs$/, data: (page) => main(page).getByRole('link', { name: jobId }) },
  '/job/$id': {
    at: () => `/job/${jobId}`,
    heading: /^walk$/,
    data: (page) => main(page).getByText(jobId),
  },
  '/schedules': { heading: /^Schedules$/, data: marked },
  '/email': { at: () => `/email?id=${emailId}`, heading: /^Email$/, data: marked },
  '/sms': { heading: /^SMS$/, data: (page) => main(page).getByText(/^\+25471/) },
  '/chat': { heading: /^Chat$/, data: (page) => main(page).getByText(/^\+25471/) },
  '/templates': { heading: /^Templates$/, data: marked },
  '/domains': { heading: /^Domains$/, data: marked },
  '/limits': { heading: /^Limits$/, data: marked },
  '/webhooks': { heading: /^Webhooks$/, data: marked },
  '/team': { heading: /^Team$/, data: (page) => main(page).getByText(invite.email) },
  '/keys': { heading: /^API keys$/, data: marked },
  '/settings': { heading: /^Settings$/, data: marked },
  '/verify': { at: () => '/verify#token=quokka', heading: /^Confirm your email address$/ },
};

/** The routes that need no session. */
const ENTRANCE: Record<string, Shown> = {
  '/login': { heading: /Sign in/ },
  '/register': { heading: /Register an organization/ },
  '/join': { at: () => `/join?token=${invite.token}`, heading: /Join quokka-0 Ltd/ },
  '/reset': { at: () => `/reset?token=${resetToken}`, heading: /Choose a new password/ },
};

describe('every page of the dashboard', () => {
  it.each(Object.entries(INSIDE))('%s shows the data of its organization', async (path, { at, heading, data }) => {
    const page = await openPageAs(org.maker, at?.() ?? path);

    await main(page).getByRole('heading', { level: 1, name: heading }).waitFor();
    await data?.(page).first().waitFor();
    await expectAccessible(page);

    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.reload();
    await data?.(page).first().waitFor();
    // A stream of events never ends, so the network is not idle.
    await until('no more requests', async () => {
      const before = asked.length;
      await setTimeout(QUIET_MS);
      return asked.length === before;
    });
    expect(asked.length, asked.join('\n')).toBeLessThanOrEqual(MAX_REQUESTS);
  });

  it.each(Object.entries(ENTRANCE))('%s is shown without a session', async (path, { at, heading }) => {
    const page = await openPage(at?.() ?? path);

    await page.getByRole('heading', { name: heading }).waitFor();
    await expectAccessible(page);
  });
});
