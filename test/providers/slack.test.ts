import { teamChatProviders } from '@jobline/providers';
import { silentLogger } from '@jobline/runtime';
import { afterEach, describe, expect, it } from 'vitest';
import { failsAsAgreed, type Trouble } from './conformance.js';
import { failureOf } from './failing-calls.js';
import { type HttpAnswer, type HttpBehavior, httpStandIn } from './http-stand-in.js';
import { closeAll } from './receivers.js';

const never = new AbortController().signal;
const POSTED: HttpAnswer = { status: 200, body: { ok: true, channel: 'C123ABC456', ts: '1503435956.000247' } };
const MESSAGE = { channel: '#ops', text: 'a < b && c > d <!channel>' };

const refused = (error: string): HttpAnswer => ({ status: 200, body: { ok: false, error } });

function open(url: string, more: object = {}, context = { log: silentLogger }) {
  const settings = { TEAM_CHAT_API_KEY: 'xoxb-token', TEAM_CHAT_BASE_URL: url };
  return teamChatProviders.open({ TEAM_CHAT_PROVIDER: 'slack', ...settings, ...more }, context);
}

afterEach(closeAll);

it('a Slack message is posted literally, without mentions, and identified by channel and timestamp', async () => {
  const server = await httpStandIn(POSTED);

  const posted = await open(server.url).post(MESSAGE, never);

  expect(posted).toEqual({ providerMessageId: 'C123ABC456:1503435956.000247' });
  const [request] = server.requests;
  expect(request).toMatchObject({ method: 'POST', url: '/some/base/api/chat.postMessage' });
  expect(request?.headers).toMatchObject({
    authorization: 'Bearer xoxb-token',
    'content-type': 'application/json; charset=utf-8',
  });
  expect(JSON.parse(request?.body ?? '')).toEqual({
    channel: '#ops',
    text: 'a &lt; b &amp;&amp; c &gt; d &lt;!channel&gt;',
  });
});

describe('a Slack error', () => {
  it.each<[HttpBehavior, string]>([
    [refused('channel_not_found'), 'rejected'],
    [refused('invalid_auth'), 'rejected'],
    [refused('constructor'), 'rejected'],
    [refused('ratelimited'), 'throttled'],
    [refused('service_unavailable'), 'transient'],
    [refused('internal_error'), 'ambiguous'],
    [refused('fatal_error'), 'ambiguous'],
    [{ status: 200, body: '<html>' }, 'ambiguous'],
    [{ status: 200, body: { ok: true } }, 'ambiguous'],
    [{ status: 302, headers: { location: 'http://127.0.0.1:1/' } }, 'rejected'],
    [{ status: 503, body: 'down' }, 'transient'],
  ])('%j is a failure of the kind %s', async (behavior, kind) => {
    const server = await httpStandIn(behavior);

    expect((await failureOf(open(server.url).post(MESSAGE, never))).kind).toBe(kind);
    expect(server.requests).toHaveLength(1);
  });
});

failsAsAgreed('slack', async (timeoutMs) => {
  const server = await httpStandIn(POSTED);
  const behaviors: Record<Exclude<Trouble, 'is unreachable'>, HttpBehavior> = {
    rejects: refused('not_in_channel'),
    fails: { status: 500, body: 'xoxb-token' },
    throttles: { status: 429, headers: { 'retry-after': '7' }, body: { ok: false, error: 'ratelimited' } },
    'does not answer': 'silence',
    'closes the connection': 'cut',
    'sends half an answer': { half: POSTED },
  };
  return {
    send: (signal, context) => open(server.url, { TEAM_CHAT_TIMEOUT_MS: timeoutMs }, context).post(MESSAGE, signal),
    meet: (trouble) =>
      trouble === 'is unreachable' ? server.leave() : void Object.assign(server, { behavior: behaviors[trouble] }),
    received: () => server.requests.length,
    secrets: ['xoxb-token', 'a &lt; b'],
    rejection: 'not_in_channel',
  };
});
