import { teamChatProviders } from '@jobline/providers';
import { silentLogger } from '@jobline/runtime';
import { afterEach, describe, expect, test } from 'vitest';
import { keepingLogger } from '../api/support.js';
import { until } from '../harness/index.js';
import { call, closeAll, get, newOrg, open, openWithNames, receiver } from './receivers.js';

/** The number of lookups that one organization may run at a time. */
const AT_ONCE = 10;

afterEach(closeAll);

describe('a host name', () => {
  test('is blocked because of any of its addresses, IPv6 included, and only the operator sees which', async () => {
    const { log, lines } = keepingLogger();
    const { outbound, names } = await openWithNames({ log });
    names.point('two-faced.test', '8.8.8.8', 'fd00::1');

    await expect(get(outbound, 'http://two-faced.test/')).rejects.toMatchObject({
      code: 'outbound_forbidden',
      message: expect.stringContaining(
        'two-faced.test is not on the public internet, and only public addresses may be called',
      ),
    });

    expect(lines.map(({ fields }) => fields)).toEqual([{ hostname: 'two-faced.test', address: 'fd00::1' }]);
  });

  test('is looked up for every call', async () => {
    const { outbound, names } = await openWithNames();
    names.point('inside.test', '127.0.0.1');

    await expect(get(outbound, 'http://inside.test/')).rejects.toMatchObject({ code: 'outbound_forbidden' });
    names.point('inside.test');

    await expect(get(outbound, 'http://inside.test/')).rejects.toMatchObject({ code: 'provider_unavailable' });
  });

  test.each(['servfail', 'refused'] as const)('cannot be resolved if its name server answers %s', async (how) => {
    const { outbound, names } = await openWithNames();
    names.break(how);

    await expect(get(outbound, 'http://broken.test/')).rejects.toMatchObject({
      code: 'provider_unavailable',
      message: 'the name of broken.test could not be resolved',
    });
  });

  test('cannot be resolved if its name server does not answer any try', async () => {
    const { names } = await openWithNames();
    names.break('silent');
    const outbound = open({ allowHosts: [], names: { servers: [names.address], timeoutMs: 250, tries: 1 } });

    await expect(get(outbound, 'http://silent.test/')).rejects.toMatchObject({
      message: 'the name of silent.test could not be resolved',
    });
  });
});

describe('host names whose name server does not answer', () => {
  test('delay neither the names of another organization nor calls to providers', async () => {
    const { outbound, names } = await openWithNames();
    const { ended, end } = silentCalls(outbound, names, 3 * AT_ONCE);
    await until('all that may be asked for', () => new Set(names.asked).size === AT_ONCE);
    names.point('inside.test', '127.0.0.1');
    const { url, requests } = await receiver((_request, response) => {
      response.end('{"ok":true,"ts":"1","channel":"c"}');
    });
    const slack = { TEAM_CHAT_PROVIDER: 'slack', TEAM_CHAT_API_KEY: 'key' };
    const chat = teamChatProviders.open(
      { ...slack, TEAM_CHAT_BASE_URL: url.replace('127.0.0.1', 'localhost') },
      { log: silentLogger },
    );

    await expect(get(outbound, 'http://inside.test/')).rejects.toMatchObject({ code: 'outbound_forbidden' });
    await chat.post({ channel: 'c', text: 'hello' }, new AbortController().signal);

    expect(requests).toHaveLength(1);
    expect(new Set(names.asked.filter((name) => name.endsWith('.silent.test'))).size).toBe(AT_ONCE);
    end();
    await ended;
  });

  test('free their slots for other names of their organization when their calls end', async () => {
    const { outbound, names } = await openWithNames();
    const { orgId, ended, end } = silentCalls(outbound, names, AT_ONCE);
    await until('all that may be asked for', () => new Set(names.asked).size === AT_ONCE);
    names.point('inside.test', '127.0.0.1');

    const next = expect(call(outbound, 'http://inside.test/', { orgId })).rejects.toMatchObject({
      code: 'outbound_forbidden',
    });
    expect(names.asked).not.toContain('inside.test');
    end();

    await next;
    await ended;
  });

  test('free their slots for other names of their organization when their calls time out', async () => {
    const { outbound, names } = await openWithNames();
    const { orgId, ended } = silentCalls(outbound, names, AT_ONCE, 300);
    names.point('inside.test', '127.0.0.1');

    await expect(call(outbound, 'http://inside.test/', { orgId })).rejects.toMatchObject({
      code: 'outbound_forbidden',
    });
    await ended;
  });
});

/** Calls of one organization to many names that no server answers for. */
function silentCalls(
  outbound: Parameters<typeof call>[0],
  names: { silence(ending: string): void },
  count: number,
  timeoutMs?: number,
) {
  names.silence('.silent.test');
  const orgId = newOrg();
  const options = { orgId, ...(timeoutMs !== undefined && { timeoutMs }) };
  const endings = Array.from({ length: count }, () => new AbortController());
  const calls = endings.map(({ signal }, n) => call(outbound, `http://x${n}.silent.test/`, { ...options, signal }));
  const end = () => {
    for (const ending of endings) ending.abort(new Error('the job was canceled'));
  };
  return { orgId, ended: Promise.allSettled(calls), end };
}
