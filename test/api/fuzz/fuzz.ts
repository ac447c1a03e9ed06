import { Agent } from 'node:http';
import type { OpenApiDocument } from '@jobline/api/openapi';
import { ROLES } from '@jobline/contracts';
import fc from 'fast-check';
import { checkAnswer, createWorld, startNameServer, type TestApi, type World } from '../../harness/index.js';
import { belongingsOf } from '../walk/belongings.js';
import { type Organization, plantOrganization } from '../walk/organization.js';
import { CALLBACK_SECRET } from '../walk/rows.js';
import type { Named } from './heads.js';
import { type Caller, type WireRequest, wireRequests } from './requests.js';
import { send, type WireAnswer } from './send.js';

export interface FuzzReport {
  seed: number;
  sent: number;
  /** Violations, each with the request that shows it. */
  failures: string[];
  /** Rows of the other organization that have changed. */
  changedRows: string[];
  byStatus: Record<string, number>;
  /** Operation → status → number of responses. */
  byOperation: Record<string, Record<string, number>>;
}

/** Number of requests per round. Each round has new rows and sessions, because requests use them up. */
const PART = 250;
const CONCURRENCY = 16;
const MAX_FAILURES = 20;

/**
 * Sends requests that are generated from the API's own document: valid, nearly valid and garbage, by every kind of
 * caller in one organization and with the names of two. The other organization is idle, so everything of it that is
 * shown or changed is a failure.
 */
export async function fuzz({ requests, seed }: { requests: number; seed: number }): Promise<FuzzReport> {
  const world = await createWorld();
  const names = await startNameServer();
  try {
    const callbacks = { SMS_WEBHOOK_SECRET: CALLBACK_SECRET, PAYMENTS_WEBHOOK_SECRET: CALLBACK_SECRET };
    const api = await world.api({ dnsServers: [names.address], settings: { callbacks } });
    return await fuzzApi(world, api, requests, seed);
  } finally {
    await world.end();
    await names.close();
  }
}

async function fuzzApi(world: World, api: TestApi, requests: number, seed: number): Promise<FuzzReport> {
  const theirs = await plantOrganization(world, api, 'quokka');
  const ours = await plantOrganization(world, api, 'wombat');
  const known = await namesOf(theirs);
  const isKnown = (secret: string) => known.some(({ name }) => name.includes(secret));
  const before = await belongingsOf(world.db, theirs.orgId);
  const secrets = before.findSecrets().filter((secret) => !isKnown(secret));
  const document: OpenApiDocument = (await api.call('GET', '/openapi.json')).body;
  const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY });
  const report: FuzzReport = { seed, sent: 0, failures: [], changedRows: [], byStatus: {}, byOperation: {} };

  for (let part = 0; report.sent < requests && report.failures.length < MAX_FAILURES; part++) {
    const callers = await callersIn(ours);
    const headersOf = new Map(callers.map(({ name, headers }) => [name, headers]));
    const pool = [...known, ...(await namesOf(ours))];
    const made = fc.sample(wireRequests(document, pool, callers), {
      seed: seed + part,
      numRuns: PART,
    });
    const left = made[Symbol.iterator]();
    const worker = async () => {
      for (const wire of left) note(report, wire, await tried(wire, headersOf.get(wire.caller) ?? {}));
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  }
  agent.destroy();
  if ((await ours.maker.get('/jobs')).status !== 200) report.failures.push('the service does not answer any more');
  const after = await belongingsOf(world.db, theirs.orgId);
  const [was, is] = [new Set(before.rows), new Set(after.rows)];
  report.changedRows = [...before.rows.filter((row) => !is.has(row)), ...after.rows.filter((row) => !was.has(row))];
  return report;

  async function tried(
    wire: WireRequest,
    credential: Record<string, string>,
  ): Promise<{ status: string; failure?: string }> {
    let answer: WireAnswer;
    try {
      answer = await send(new URL(api.url), agent, wire, credential);
    } catch (error) {
      return { status: 'none', failure: String(error) };
    }
    const failure = failureOf(wire, answer, secrets);
    return { status: String(answer.status), ...(failure && { failure }) };
  }
}

/** Returns what is wrong with a response, if anything; `secrets` belong to the other organization. */
export function failureOf(wire: WireRequest, answer: WireAnswer, secrets: readonly string[]): string | undefined {
  if (answer.status === 500 || answer.status > 503) return `an answer ${answer.status}: ${answer.text.slice(0, 300)}`;
  const shown = answer.text + JSON.stringify([...answer.headers]);
  const seen = secrets.find((secret) => shown.includes(secret));
  if (seen) return `the other organization's ${seen} is to be seen`;
  try {
    checkAnswer(...asDocumented(wire), answer);
  } catch (error) {
    return String(error);
  }
  return undefined;
}

/** Size of a request head that the service reads. */
const MAX_HEAD_BYTES = 16 * 1024;

/** The documented method and path that the response must match. */
function asDocumented({ method, path }: WireRequest): [string, string] {
  // The service rejects so long a path before routing, with an error that every operation documents.
  if (path.length > MAX_HEAD_BYTES) return [method === 'HEAD' ? 'HEAD' : 'GET', '/healthz'];
  return [method, isReadable(path) ? path : '/no-such-path'];
}

/** Whether a path is valid percent-encoded text. An invalid one matches no route. */
function isReadable(path: string): boolean {
  try {
    decodeURIComponent(path.replace(/\?.*$/, ''));
    return true;
  } catch {
    return false;
  }
}

function note(report: FuzzReport, wire: WireRequest, { status, failure }: { status: string; failure?: string }): void {
  report.sent++;
  report.byStatus[status] = (report.byStatus[status] ?? 0) + 1;
  const statuses = report.byOperation[wire.operation] ?? {};
  report.byOperation[wire.operation] = { ...statuses, [status]: (statuses[status] ?? 0) + 1 };
  if (failure) report.failures.push(`${failure}\n${described(wire)}`);
}

function described({ body, ...wire }: WireRequest): string {
  return JSON.stringify({ ...wire, body: body?.toString('latin1').slice(0, 2_000) });
}

/** Names of new rows of the organization, each with the path segment that it follows. */
async function namesOf(of: Organization): Promise<Named[]> {
  const { id, artifact } = await of.doneJob();
  const template = await of.template();
  const domain = await of.domain();
  const senderId = await of.senderId();
  const suppression = await of.suppression();
  const invite = await of.invite();
  const byKind: Record<string, string[]> = {
    jobs: [id, of.sharedJobId, await of.job(), await of.job(), await of.canceledJob(), await of.canceledJob()],
    artifacts: [artifact],
    messages: [await of.email(), await of.sms()],
    'api-keys': [await of.apiKey()],
    domains: [domain.id],
    'sender-ids': [senderId.id],
    templates: [template.id],
    suppressions: [suppression.id],
    members: [(await of.member()).id],
    invites: [invite.id],
    webhooks: ['sendgrid', 'africastalking', 'mpesa'],
    '': [of.orgId, template.name, domain.domain, `a@${domain.domain}`, senderId.senderId, suppression.address],
  };
  return Object.entries(byKind).flatMap(([kind, names]) => names.map((name) => ({ kind, name })));
}

/** Number of sessions of each role: a logout ends the session that it uses. */
const SESSIONS = { owner: 4, admin: 2, member: 2 };

/** All callers, with the headers that identify them. */
async function callersIn(of: Organization): Promise<(Caller & { headers: Record<string, string> })[]> {
  const roles = ROLES.flatMap((role) =>
    Array.from({ length: SESSIONS[role] }, (_, n) => ({ role, name: `${role} ${n}` })),
  );
  const people = await Promise.all(
    roles.map(async ({ role, name }) => ({ name, weight: 5, headers: await of.sessionOf(role) })),
  );
  const program = await of.programOf();
  return [
    ...people,
    { name: 'program', weight: 7, headers: program },
    { name: 'owner and program', weight: 3, headers: { ...(await of.sessionOf('owner')), ...program } },
    { name: 'anonymous', weight: 2, headers: {} },
    { name: 'broken token', weight: 1, headers: { authorization: 'Bearer a.b.c' } },
    { name: 'nonsense', weight: 1, headers: { authorization: 'Basic \u00ff', 'x-api-key': 'jl_' } },
  ];
}
