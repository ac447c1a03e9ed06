import { describe, expect, it } from 'vitest';
import { fieldsOfDocument, sendSignedIn, useHostileApi } from '../api/hostile/send.js';
import { hostileTexts } from '../api/hostile/values.js';

const { mailsOffered } = useHostileApi();

describe('the event loop, with hostile values of a signed-in user,', () => {
  it('is not blocked by texts, including direct sends with a real provider', async () => {
    const operations = await sendSignedIn(await fieldsOfDocument('text'));

    expect(operations).toContain('sendEmail');
    expect(mailsOffered()).toBeGreaterThan(hostileTexts().length / 2);
  });

  it.each(['list', 'object'] as const)('is not blocked by a hostile %s', async (kind) => {
    expect(await sendSignedIn(await fieldsOfDocument(kind))).not.toEqual([]);
  });
});
