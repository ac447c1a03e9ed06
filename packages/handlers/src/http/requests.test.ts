import type { OrgId } from '@jobline/contracts';
import { expect, test } from 'vitest';
import { HandlerError, OutboundForbidden, PermanentError, RetryLater } from '../errors.js';
import type { Outbound, OutboundRequest, OutboundResponse } from '../ports/index.js';
import { download } from './requests.js';

const START = 'https://files.example/a/cat.jpg?token=s3cret';
const OPTIONS = {
  // The cast: any string can be an id here, because it is not looked up.
  orgId: 'org-7' as OrgId,
  accept: 'image/*',
  maxBytes: 2 * 1024 * 1024,
  timeoutMs: 5_000,
  signal: new AbortController().signal,
};

test('a download is a GET by the guarded client', async () => {
  const { outbound, requests } = answering({
    [START]: { body: Buffer.from('cat') },
  });

  const file = await download(outbound, START, OPTIONS);

  expect(Buffer.from(file).toString()).toBe('cat');
  const { orgId, accept, maxBytes, timeoutMs, signal } = OPTIONS;
  expect(requests).toEqual([
    {
      orgId,
      url: START,
      method: 'GET',
      headers: { accept, 'user-agent': expect.stringMatching(/^Jobline\//) },
      maxBytes,
      timeoutMs,
      signal,
    },
  ]);
});

test.each([301, 302, 303, 307, 308])(
  'a redirect with the status %i is followed by the guarded client',
  async (status) => {
    const { outbound, urls } = answering({
      [START]: { status, headers: { location: '../b' } },
      'https://files.example/b': { status, headers: { location: '//cdn.example:8443/c#part' } },
      'https://cdn.example:8443/c#part': { body: Buffer.from('cat') },
    });

    expect(Buffer.from(await download(outbound, START, OPTIONS)).toString()).toBe('cat');
    expect(urls()).toEqual([START, 'https://files.example/b', 'https://cdn.example:8443/c#part']);
  },
);

test('a download fails if the guard blocks a redirect', async () => {
  const { outbound, urls } = answering({
    [START]: { status: 302, headers: { location: 'http://169.254.169.254/' } },
    'http://169.254.169.254/': new OutboundForbidden('no'),
  });

  await expect(download(outbound, START, OPTIONS)).rejects.toThrow(new OutboundForbidden('no'));
  expect(urls()).toHaveLength(2);
});

test('a download does not follow a fourth redirect', async () => {
  const { outbound, urls } = answering({
    [START]: { status: 302, headers: { location: '/1' } },
    'https://files.example/1': { status: 302, headers: { location: '/2' } },
    'https://files.example/2': { status: 302, headers: { location: '/3' } },
    'https://files.example/3': { status: 302, headers: { location: '/4' } },
  });

  const error = await failure(download(outbound, START, OPTIONS));

  expect(error).toMatchObject({
    code: 'provider_rejected',
    message: 'files.example exceeded the limit of 3 redirects',
  });
  expect(urls()).toHaveLength(4);
});

test.each([undefined, '', 'http://[::1'])('a download fails for a redirect to %j', async (location) => {
  const { outbound } = answering({ [START]: { status: 302, headers: location === undefined ? {} : { location } } });

  const error = await failure(download(outbound, START, OPTIONS));

  expect(error).toMatchObject({ code: 'provider_rejected', message: 'files.example redirects to an invalid address' });
});

test.each([
  [404, 'provider_rejected'],
  [304, 'provider_rejected'],
  [500, 'provider_unavailable'],
  [429, 'provider_unavailable'],
])('a download with the status %i fails with %s and can be retried', async (status, code) => {
  const { outbound } = answering({ [START]: { status } });

  const error = await failure(download(outbound, START, OPTIONS));

  expect(error).toBeInstanceOf(HandlerError);
  expect(error).not.toBeInstanceOf(PermanentError);
  expect(error).toMatchObject({ code, message: `files.example answered ${status}` });
});

test('a download waits as long as the server asks for', async () => {
  const { outbound } = answering({ [START]: { status: 503, headers: { 'retry-after': '7' } } });

  const error = await failure(download(outbound, START, OPTIONS));

  expect(error).toBeInstanceOf(RetryLater);
  expect(error).toMatchObject({ delayMs: 7_000 });
});

test('a download fails permanently for a file that is too large', async () => {
  const { outbound } = answering({ [START]: { cut: true } });

  const error = await failure(download(outbound, START, OPTIONS));

  expect(error).toBeInstanceOf(PermanentError);
  expect(error).toMatchObject({
    code: 'invalid_payload',
    message: 'the file at files.example is larger than the limit of 2 MiB',
  });
});

function answering(answers: Record<string, Partial<OutboundResponse> | Error>) {
  const requests: OutboundRequest[] = [];
  const outbound: Outbound = {
    async request(request) {
      requests.push(request);
      const answer = answers[request.url] ?? new Error(`unexpected request: ${request.url}`);
      if (answer instanceof Error) throw answer;
      return { status: 200, headers: {}, body: new Uint8Array(), cut: false, ...answer };
    },
  };
  return { outbound, requests, urls: () => requests.map(({ url }) => url) };
}

function failure(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => 'nothing was thrown',
    (error: unknown) => error,
  );
}
