import type { OrgId } from '@jobline/contracts';
import { expect, test } from 'vitest';
import { createCompose } from './compose.js';
import type { TemplateSource } from './fill-template.js';
import { type Lookups, memoizeLookups } from './lookups.js';

const orgId = 'an organization' as OrgId;

/** A fake of Liquid that knows only `{{ x }}`. */
const liquid = {
  fill: async (_orgId: OrgId, source: string, data: object) => ({
    text: source.replaceAll('{{ x }}', 'x' in data ? String(data.x) : ''),
    missing: source.includes('{{ x }}') && !('x' in data) ? ['x'] : [],
  }),
  variables: async () => [],
};

function composeWith(template: TemplateSource | null = null) {
  const queries: string[] = [];
  const lookups: Lookups = {
    isDomainVerified: async (_orgId, domain) => {
      queries.push(domain);
      return domain === 'verified.com';
    },
    isSenderIdRegistered: async () => false,
    secretNames: async () => new Set(),
    findTemplate: async () => {
      queries.push('template');
      return template;
    },
  };
  return { compose: createCompose({ lookups: memoizeLookups(lookups), liquid }), queries };
}

test.each([
  ['Dear {{ x }}', '<div style="white-space: pre-wrap">Dear 1</div>'],
  ['1 < 2', '<div style="white-space: pre-wrap">1 < 2</div>'],
  ['<p>{{ x }}</p>', '<p>1</p>'],
  ['a<br>b', 'a<br>b'],
])('the email template %j is sent as HTML', async (body, sent) => {
  const { compose } = composeWith({ kind: 'email', subject: 'S', body });

  expect(await compose.email(orgId, { template: 't', data: { x: 1 } })).toEqual({
    message: { from: null, replyTo: null, subject: 'S', template: 't', texts: { body: sent } },
  });
});

test.each([{ body: 'a &amp; {{ x }}' }, { html: '{{ x }}', text: '{{ x }}' }])(
  'the texts %o without a template are sent unchanged',
  async (texts) => {
    expect(await composeWith().compose.email(orgId, { subject: 'S', ...texts })).toEqual({
      message: { from: null, replyTo: null, subject: 'S', texts },
    });
  },
);

test('replies go to one address, perhaps with a name, whose domain is in its ASCII form', async () => {
  const { compose } = composeWith();
  const replyTo = async (reply_to: string) => {
    const { message, failure } = await compose.email(orgId, { subject: 'S', body: 'b', reply_to });
    return message?.replyTo ?? failure?.details.map(({ path }) => path);
  };

  expect(await replyTo('Hilfe, Ü <hilfe@bücher.example>')).toEqual(['payload.reply_to']);
  expect(await replyTo('"Hilfe, Ü" <hilfe@bücher.example>')).toBe('"Hilfe, Ü" <hilfe@xn--bcher-kva.example>');
  expect(await replyTo('a@b.example, c@d.example')).toEqual(['payload.reply_to']);
  expect(await replyTo('a@b.example\r\nBcc: c@d.example')).toEqual(['payload.reply_to']);
});

test('validation issues are reported before a forbidden sender, and all of them at once', async () => {
  const { compose } = composeWith({ kind: 'email', subject: '{{ x }}', body: 'b' });
  const paths = async (from: string) => {
    const { failure } = await compose.email(orgId, { template: 't', from });
    return [failure?.code, failure?.details.map(({ path }) => path)];
  };

  expect(await paths('a@evil.com')).toEqual(['validation_failed', ['payload.data.x']]);
  expect(await paths('a@verified.com, b@evil.com')).toEqual(['validation_failed', ['payload.data.x', 'payload.from']]);
});

test('memoized lookups query the database once for a thousand drafts', async () => {
  const { compose, queries } = composeWith({ kind: 'email', subject: 'S', body: 'b' });
  const draft = { template: 't', from: 'a@verified.com' };

  await Promise.all(Array.from({ length: 1_000 }, () => compose.email(orgId, draft)));

  expect(queries.sort()).toEqual(['template', 'verified.com']);
});
