import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Expected } from './check-job.js';
import type { Records } from './records.js';

/** The receivers of all calls that jobs make: of handlers, of webhooks, and in place of the providers. */
export interface Recorder {
  url: string;
  /** `host:port`. */
  host: string;
  close(): Promise<void>;
}

/** Longer than any pause: a connection that is closed while a call is on its way would fail the call. */
const KEEP_ALIVE_MS = 3_600_000;

export async function startRecorder(records: Records, expectedOf: (n: number) => Expected): Promise<Recorder> {
  /** The status of the next answer to a submission's job. */
  function statusOf(n: number, attempt: number | null): number {
    const { failures, end } = expectedOf(n);
    if (records.called(n, attempt) <= failures) return 500;
    return end === 'failed' ? 410 : 200;
  }

  const server = createServer(async (req, res) => {
    const body = await textOf(req).catch(() => null);
    if (body === null) return; // the caller died before it had called completely
    const { pathname, searchParams } = new URL(req.url ?? '', 'http://recorder');
    if (pathname === '/events') {
      for (const n of eventNumbers(body)) records.reported(n);
      res.end();
      return;
    }
    const call = callIn(pathname, body);
    const status = call ? statusOf(call.n, call.attempt) : 200;
    setTimeout(
      () => {
        if (call && status !== 500) records.answered(call.n);
        res.writeHead(status, { 'content-type': 'application/json' }).end(PROVIDER_ANSWERS[pathname] ?? '{}');
      },
      Number(searchParams.get('ms') ?? 0),
    );
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The cast: a server that listens on a port has such an address.
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${host}`,
    host,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The answers of Africa's Talking and of Slack. */
const PROVIDER_ANSWERS: Record<string, string> = {
  '/version1/messaging': JSON.stringify({
    SMSMessageData: { Recipients: [{ statusCode: 101, status: 'Success', messageId: 'sent' }] },
  }),
  '/api/chat.postMessage': JSON.stringify({ ok: true, channel: 'C1', ts: '1.0' }),
};

/** `/run/<n>/<attempt>` of custom handlers, `/hook/<n>` of webhooks, and messages that contain `job <n>`. */
function callIn(pathname: string, body: string): { n: number; attempt: number | null } | null {
  const [, , n, attempt] = /^\/(run|hook)\/(\d+)(?:\/(\d+))?$/.exec(pathname) ?? [];
  if (n !== undefined) return { n: Number(n), attempt: attempt === undefined ? null : Number(attempt) };
  const [, named] = pathname in PROVIDER_ANSWERS ? (/job[ +](\d+)/.exec(body) ?? []) : [];
  return named === undefined ? null : { n: Number(named), attempt: null };
}

/** The tag `n-<n>` of the job that an event reports. */
function eventNumbers(body: string): number[] {
  return [...body.matchAll(/"n-(\d+)"/g)].map(([, n]) => Number(n));
}

async function textOf(req: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of req.setEncoding('utf8')) text += part;
  return text;
}
