import { describe, expect, it } from 'vitest';
import { fieldsOfDocument, sendToFields, slowOnes, useHostileApi } from './hostile/send.js';
import { hostileTexts } from './hostile/values.js';
import { ask } from './walk/ask.js';
import { CALLBACK_SECRET } from './walk/rows.js';

const { url } = useHostileApi();

describe('the event loop, with hostile texts in fields', () => {
  it('is not blocked by requests without a credential', async () => {
    const { slow, errorCodes } = await sendToFields(await fieldsOfDocument('text'), {});

    expect(slow.join('\n')).toBe('');
    for (const code of ['internal', 'rate_limited']) expect(errorCodes).not.toContain(code);
  });

  it('is not blocked by callbacks of providers', async () => {
    const endpoint = { method: 'post', path: '/webhooks/:provider' } as const;
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const slow = await slowOnes(
      hostileTexts().map(([name, text]) => [
        name,
        () => {
          const raw = new URLSearchParams({ id: text, status: text, failureReason: text }).toString();
          const query = { secret: CALLBACK_SECRET };
          return ask(url(), endpoint, { params: { provider: 'africastalking' }, query, raw, headers });
        },
      ]),
    );

    expect(slow.join('\n')).toBe('');
  });
});

describe('the event loop, with lists and objects of a size that no field allows', () => {
  it.each(['list', 'object'] as const)('is not blocked by requests with a hostile %s', async (kind) => {
    const fields = await fieldsOfDocument(kind);
    const { slow, errorCodes } = await sendToFields(
      fields.filter(({ isOpen }) => isOpen),
      {},
    );

    expect(slow.join('\n')).toBe('');
    expect(errorCodes).not.toContain('internal');
  });
});
