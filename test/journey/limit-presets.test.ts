import { createCatalogue, defineHandler, HandlerError } from '@jobline/handlers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { codeSpans, DOCS, tableRows } from '../architecture/markdown.js';
import {
  createWorld,
  finishedJob,
  type Person,
  register,
  submitJob,
  type TestApi,
  type World,
} from '../harness/index.js';

interface Preset {
  types?: string[];
  hold: { after: number };
}

const presets = tableRows(DOCS.limits, 'for', 'limit').map(([use = '', cell = '']) => {
  const limit: Preset = JSON.parse(codeSpans(cell)[0] ?? '');
  return { use, limit };
});
/** The limit of a preset without types is named by its jobs. */
const NAME = 'erp';
const PAYLOADS: Record<string, object> = {
  send_email: { to: 'ada@example.com', subject: 'Hello', body: 'Hello' },
  send_sms: { to: '+254700000001', message: 'Hello' },
  mobile_money_stk: { phone: '254700000001', amount: 10, ref: '1001' },
  webhook: { url: 'https://example.com/', payload: {} },
};

let world: World;
let api: TestApi;
beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
  const run = () => Promise.reject(new HandlerError('provider_unavailable', 'the provider is down'));
  await world.worker({ catalogue: createCatalogue(Object.keys(PAYLOADS).map((type) => defineHandler({ type, run }))) });
});
afterAll(() => world.end());

it('the page about limits has presets for email, SMS, payments and one receiver of webhooks', () => {
  expect(presets.map(({ limit }) => limit.types?.join() ?? NAME)).toEqual([
    'send_email',
    'send_sms',
    'mobile_money_stk',
    NAME,
  ]);
});

it.each(presets)(
  'the preset for $use is accepted as it is written, and holds after its number of failures',
  async ({ limit }) => {
    const person = await register(api.call);
    const [type = 'webhook'] = limit.types ?? [];
    const fields = limit.types ? {} : { limit: NAME };
    const fail = async (more: object) => {
      const { result } = await finishedJob(person, await submitJob(person, type, PAYLOADS[type] ?? {}, more));
      expect(result.error.code).toBe('provider_unavailable');
    };
    const set = await person.put(`/org/limits/${NAME}`, limit);
    expect(set.status, set.text).toBe(200);
    expect(set.body).toMatchObject(limit);

    for (let n = 1; n <= limit.hold.after; n++) {
      expect(await heldSince(person)).toBeNull();
      await fail(fields);
    }
    expect(await heldSince(person)).not.toBeNull();
    // Webhooks to other receivers run on.
    if (!limit.types) await fail({});
  },
);

async function heldSince(person: Person): Promise<string | null> {
  const [limit] = (await person.get('/org/limits')).body;
  return limit.held_since;
}
