import type { OrgId } from '@jobline/contracts';
import { expect, test } from 'vitest';
import { createCompose } from './compose.js';
import type { TemplateSource } from './fill-template.js';
import { type Lookups, memoizeLookups } from './lookups.js';

const orgId = 'an organization' as OrgId;

/** Liquid of which only `{{ x }}` is known. */
const liquid = {
  fill: async (_orgId: OrgId, source: string, data: object) => ({
    text: source.replaceAll('{{ x }}', 'x' in data ? String(data.x) : ''),
    missing: source.includes('{{ x }}') && !('x' in data) ? ['x'] : [],
  }),
  variables: async () => [],
};

function composeWith(template: TemplateSource | null = null) {
  const asked: string[] = [];
  const lookups: Lookups = {
    isDomainVerified: async (_orgId, domain) => {
      asked.push(domain);
      return domain === 'verified.com';
    },
    isSenderIdRegistered: async () => false,
    findTemplate: async () => {
      asked.push('template');
      return template;
    },
  };
  return { compose: createCompose({ lookups: memoizeLookups(lookups), liquid }), asked };
}

test.each([
  ['Dear {{ x }}', '<div style="white-space: pre-wrap">Dear 1</div>'],
  ['1 < 2', '<div style="white-space: pre-wrap">1 < 2</div>'],
  ['<p>{{ x }}</p>', '<p>1</p>'],
  ['a<br>b', 'a<br>b'],
])('the template %j is sent as HTML', async (body, sent) => {
  const { compose } = composeWith({ kind: 'email', subject: 'S', body });

  expect(await compose.email(orgId, { template: 't', data: { x: 1 } })).toEqual({
    message: { from: null, subject: 'S', body: sent },
  });
});

test('a body that was written out is sent as it is', async () => {
  const draft = { subject: 'S', body: 'a &amp; {{ x }}' };

  expect(await composeWith().compose.email(orgId, draft)).toEqual({ message: { from: null, ...draft } });
});

test('what is wrong comes before what is forbidden, and all of it is told', async () => {
  const { compose } = composeWith({ kind: 'email', subject: '{{ x }}', body: 'b' });
  const paths = async (from: string) => {
    const { failure } = await compose.email(orgId, { template: 't', from });
    return [failure?.code, failure?.details.map(({ path }) => path)];
  };

  expect(await paths('a@evil.com')).toEqual(['validation_failed', ['payload.data.x']]);
  expect(await paths('a@verified.com, b@evil.com')).toEqual(['validation_failed', ['payload.data.x', 'payload.from']]);
});

test('a thousand drafts of one request ask once', async () => {
  const { compose, asked } = composeWith({ kind: 'email', subject: 'S', body: 'b' });
  const draft = { template: 't', from: 'a@verified.com' };

  await Promise.all(Array.from({ length: 1_000 }, () => compose.email(orgId, draft)));

  expect(asked.sort()).toEqual(['template', 'verified.com']);
});
