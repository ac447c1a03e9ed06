import { createOutbound } from '@jobline/providers';
import { afterEach, describe, expect, test } from 'vitest';
import { closeAll, get, listen, open, openWithNames } from './receivers.js';

afterEach(closeAll);

describe('an address that must not be called', () => {
  const LOOPBACK_HOSTS = [
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '0x7f000001',
    '2130706433',
    '017700000001',
    '127.0.0.1.',
    '127。0。0。1',
    '０x7f.1',
    '%31%32%37.0.0.1',
    '127.255.0.1',
    '0.0.0.0',
    '0',
    '[::]',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    'localhost',
    'LOCALHOST',
    'localhost.',
    'sub.localhost',
  ];

  test.each(LOOPBACK_HOSTS)('http://%s is blocked without a connection', async (host) => {
    const victim = await listen();
    const outbound = open({ allowHosts: [] });

    await expect(get(outbound, `http://${host}:${victim.port}/`)).rejects.toMatchObject(FORBIDDEN);

    expect(victim.connections).toBe(0);
  });

  // Without this test, the tests above could pass because nothing listens.
  test.each(['127.0.0.1', '0x7f.1', '2130706433', '127。0。0。1', 'localhost'])(
    'http://%s is reachable if it is allowed',
    async (host) => {
      const victim = await listen();
      const outbound = open({ allowHosts: ['127.0.0.1', 'localhost'] });

      expect(await get(outbound, `http://${host}:${victim.port}/`)).toMatchObject({ status: 200 });

      expect(victim.connections).toBe(1);
    },
  );

  test.each([
    '169.254.169.254',
    '168.63.129.16',
    '10.0.0.1',
    '192.168.0.1',
    '100.64.0.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '[fd00:ec2::254]',
    '[fe80::1]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b:1::1]',
    '[2002:7f00:1::]',
    '[2001:0:53aa:64c::1]',
    '[::7f00:1]',
    '[ff02::1]',
    '[2001:db8::1]',
  ])('http://%s is blocked', async (host) => {
    await expect(get(open({ allowHosts: [] }), `http://${host}/`)).rejects.toMatchObject(FORBIDDEN);
  });

  test('is blocked over https, too', async () => {
    const victim = await listen();

    await expect(get(open({ allowHosts: [] }), `https://127.0.0.1:${victim.port}/`)).rejects.toMatchObject(FORBIDDEN);

    expect(victim.connections).toBe(0);
  });

  test('is blocked even if the other addresses of its name are public', async () => {
    const victim = await listen();
    const { outbound, names } = await openWithNames();
    names.point('two-faced.test', '8.8.8.8', '127.0.0.1');

    await expect(get(outbound, `http://two-faced.test:${victim.port}/`)).rejects.toMatchObject({
      ...FORBIDDEN,
      message: expect.stringContaining(
        'two-faced.test is not on the public internet, and only public addresses may be called',
      ),
    });

    expect(victim.connections).toBe(0);
  });

  test.each(['ftp://example.com/', 'http://me:pw@example.com/', 'http://example.com:25/', 'no URL'])(
    '%s is blocked because of its text',
    async (url) => {
      await expect(get(open({ allowHosts: [] }), url)).rejects.toMatchObject(FORBIDDEN);
    },
  );
});

describe('an allowed host', () => {
  test('is reachable on its port and on no other', async () => {
    const allowed = await listen();
    const other = await listen();
    const outbound = open({ allowHosts: [`127.0.0.1:${allowed.port}`] });

    expect(await get(outbound, `http://127.0.0.1:${allowed.port}/`)).toMatchObject({ status: 200 });
    await expect(get(outbound, `http://127.0.0.1:${other.port}/`)).rejects.toMatchObject(FORBIDDEN);
    expect(other.connections).toBe(0);
  });

  test('is reachable on every port if the entry names none', async () => {
    const one = await listen();
    const two = await listen();
    const outbound = open({ allowHosts: ['127.0.0.1'] });

    expect(await get(outbound, `http://127.0.0.1:${one.port}/`)).toMatchObject({ status: 200 });
    expect(await get(outbound, `http://127.0.0.1:${two.port}/`)).toMatchObject({ status: 200 });
  });

  test('does not allow another name of the same address', async () => {
    const victim = await listen();
    const { outbound, names } = await openWithNames({ allowHosts: ['localhost'] });
    names.point('outside.test', '127.0.0.1');

    expect(await get(outbound, `http://localhost:${victim.port}/`)).toMatchObject({ status: 200 });
    await expect(get(outbound, `http://127.0.0.1:${victim.port}/`)).rejects.toMatchObject(FORBIDDEN);
    await expect(get(outbound, `http://outside.test:${victim.port}/`)).rejects.toMatchObject(FORBIDDEN);
    expect(victim.connections).toBe(1);
  });

  test('fails the start if it is invalid', () => {
    expect(() => createOutbound({ allowHosts: ['http://localhost'] })).toThrow('is not a host');
  });
});

const FORBIDDEN = { name: 'OutboundForbidden', code: 'outbound_forbidden' };
