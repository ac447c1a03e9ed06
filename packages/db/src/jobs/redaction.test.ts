import { describe, expect, it } from 'vitest';
import { redactPayload, showPayload } from './redaction.js';

const redacted = (payload: object, keys: string[]) =>
  JSON.stringify(redactPayload(JSON.stringify(payload), keys).payload);

describe('redactPayload', () => {
  it('replaces the whole value of a key at any depth, whatever it is', () => {
    const payload = { card: { number: 1 }, order: [{ card: ['x'] }, { n: 2, card: null }], note: 'card' };

    expect(redactPayload(JSON.stringify(payload), ['card'])).toEqual({
      payload: { card: '[redacted]', order: [{ card: '[redacted]' }, { n: 2, card: '[redacted]' }], note: 'card' },
      isRedacted: true,
    });
  });

  it('compares names exactly, and does not take the index of a list for a name', () => {
    const payload = { Card: 1, 'card ': 2, list: ['a', 'b'], n: { 0: 'c' } };

    expect(redacted(payload, ['card'])).toBe(JSON.stringify(payload));
    expect(redacted(payload, ['0'])).toBe(JSON.stringify({ ...payload, n: { 0: '[redacted]' } }));
    expect(redactPayload(JSON.stringify(payload), ['card']).isRedacted).toBe(false);
  });

  it('a key "__proto__" is a key like others', () => {
    const text = '{"__proto__":{"a":1},"b":{"__proto__":2}}';

    expect(JSON.stringify(redactPayload(text, ['a']).payload)).toBe(
      '{"__proto__":{"a":"[redacted]"},"b":{"__proto__":2}}',
    );
    expect(JSON.stringify(redactPayload(text, ['__proto__']).payload)).toBe(
      '{"__proto__":"[redacted]","b":{"__proto__":"[redacted]"}}',
    );
  });

  it('keeps characters that Postgres cannot store as text', () => {
    expect(redacted({ a: '\0\ud800', b: '\0' }, ['b'])).toBe('{"a":"\\u0000\\ud800","b":"[redacted]"}');
  });
});

describe('showPayload', () => {
  it('a payload of which values were deleted is redacted, whatever the settings are now', () => {
    const stored = { payload: '{"a":"[redacted]"}', redactKeys: null };

    expect(showPayload({ ...stored, isDeleted: true }).isRedacted).toBe(true);
    expect(showPayload({ ...stored, isDeleted: false }).isRedacted).toBe(false);
  });
});
