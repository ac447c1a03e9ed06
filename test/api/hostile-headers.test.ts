import { describe, expect, it } from 'vitest';
import { slowOnes, useHostileApi } from './hostile/send.js';
import { hostileTexts } from './hostile/values.js';
import { ask } from './walk/ask.js';

/** Encoded size that fits into a header. */
const HEADER_BYTES = 15_000;

const { url } = useHostileApi();

describe('the event loop, with hostile texts in headers', () => {
  const HEADERS = {
    accept: '',
    'accept-encoding': 'gzip;q=',
    authorization: 'Bearer ',
    'content-type': 'application/json; charset=',
    'idempotency-key': '',
    'if-none-match': 'W/',
    'last-event-id': '',
    origin: 'https://',
    traceparent: '00-',
    'x-api-key': 'jl_',
    'x-request-id': '',
  };

  it.each(Object.entries(HEADERS))('is not blocked by the header %s', async (name, start) => {
    const texts = hostileTexts(HEADER_BYTES).filter(([, text]) => /^[\t\x20-\x7e]+$/.test(text));
    const slow = await slowOnes(
      texts.map(([pattern, text]) => [
        pattern,
        () => {
          // Node trims the spaces at the end of a header.
          const headers = { [name]: `${start}${text}"x` };
          return ask(url(), { method: 'post', path: '/auth/login' }, { raw: '{}', headers });
        },
      ]),
    );

    expect(texts.length).toBeGreaterThan(5);
    expect(slow.join('\n')).toBe('');
  });
});
