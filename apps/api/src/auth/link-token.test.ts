import type { JobKey, OrgId } from '@jobline/contracts';
import { expect, it } from 'vitest';
import { createLinkTokens, type Linked } from './link-token.js';

const orgId = '00000000-0000-7000-8000-000000000001' as OrgId;
const jobKey = '00000000-0000-7000-8000-000000000002' as JobKey;
const inMs = (ms: number) => new Date(Date.now() + ms);
const artifact: Linked = {
  orgId,
  kind: 'artifact',
  jobKey,
  name: '請'.repeat(200),
  sha256: 'a'.repeat(64),
  expiresAt: inMs(60_000),
};

it('a token says again what it was issued for, also for the longest name', () => {
  const tokens = createLinkTokens('secret');

  expect(tokens.verify(tokens.issue(artifact))).toEqual(artifact);
});

it('a token is not valid after its time, for another secret, or with another content', () => {
  const tokens = createLinkTokens('secret');
  const [content = '', signature = ''] = tokens.issue(artifact).split('.');
  const [other = ''] = tokens.issue({ ...artifact, name: 'another' }).split('.');

  expect(tokens.verify(tokens.issue({ ...artifact, expiresAt: inMs(-1) }))).toBeNull();
  expect(createLinkTokens('another').verify(`${content}.${signature}`)).toBeNull();
  for (const token of ['', '.', content, `${content}.`, `.${signature}`, `${other}.${signature}`, 'x'.repeat(10_000)]) {
    expect(tokens.verify(token)).toBeNull();
  }
});
