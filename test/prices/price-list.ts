import { endpoints } from '@jobline/api/endpoints';
import { CALM, type Cost, lowest } from '../harness/reference.js';
import { callsOf } from './calls.js';
import { DATABASE, type FullApi } from './full-api.js';
import { createMeter, type Meter, type SentRequest } from './meter.js';
import type { PricedCall } from './priced-call.js';

/** A way to call an operation, with its endpoint. */
export interface Operation {
  name: string;
  endpoint: (typeof endpoints)[string];
  call: PricedCall;
}

/** What a call costs, as on a calm machine, and whether that is too much. */
export interface Price {
  /** The method and the path, and what is dear about the call. */
  what: string;
  cost: Cost;
  isDear: boolean;
  /** An answer that is not a response of the endpoint. */
  unexpected: string | null;
  /** The dearest statements of the last call. */
  statements: string[];
}

/** A request may cost so much. */
const MAX: Cost = { sqlMs: 50, loopMs: 30 };
/** A request that takes turns with the others of its organization. */
const MAX_IN_TURN: Cost = { sqlMs: 300, loopMs: 300 };
/** How often a call is repeated, and at most if it is dear: the machine may be busy. The lowest cost counts. */
const TIMES = 3;
const MAX_TIMES = 10;
/** The lowest of the last ones counts. */
const REFERENCES = 5;

/** The operations of the API document with their calls, and the names of those that cannot be called. */
export function listOperations(): { operations: Operation[]; uncalled: string[] } {
  const called = Object.entries(endpoints).map(([name, endpoint]) => ({
    name,
    endpoint,
    calls: callsOf(name, endpoint),
  }));
  const operations = called.flatMap(({ calls = [], ...of }) => calls.map((call) => ({ ...of, call })));
  // What deletes much comes last.
  const order = ({ endpoint, call }: Operation) => (call.isLast ? 2 : Number(endpoint.method !== 'get'));
  operations.sort((a, b) => order(a) - order(b));
  return { operations, uncalled: called.flatMap(({ name, calls }) => (calls ? [] : [name])) };
}

export async function measurePrices(full: FullApi, operations: readonly Operation[]): Promise<Price[]> {
  const meter = await createMeter(full.adminUrl, DATABASE, full.url);
  try {
    const references: Cost[] = [];
    const prices: Price[] = [];
    for (const operation of operations) prices.push(await priceOf(full, operation, meter, references));
    return prices;
  } finally {
    await meter.end();
  }
}

async function priceOf(full: FullApi, operation: Operation, meter: Meter, references: Cost[]): Promise<Price> {
  const { call, endpoint } = operation;
  const max = call.takesTurns ? MAX_IN_TURN : MAX;
  let best: Cost = { sqlMs: Number.POSITIVE_INFINITY, loopMs: Number.POSITIVE_INFINITY };
  for (let n = 0; ; n++) {
    if (n === 0 || n >= TIMES) references.push(await meter.reference());
    const reference = references.slice(-REFERENCES).reduce(lowest);
    await prepare(full, call, n);
    const { cost, response } = await meter.measure(requestOf(full, operation, n), n >= TIMES);
    best = lowest(best, cost);
    const scaled = {
      sqlMs: best.sqlMs / Math.max(1, reference.sqlMs / CALM.sqlMs),
      loopMs: best.loopMs / Math.max(1, reference.loopMs / CALM.loopMs),
    };
    const isExpected = call.status
      ? response.status === call.status
      : Object.keys(endpoint.responses).includes(String(response.status));
    const isDear = scaled.sqlMs > max.sqlMs || scaled.loopMs > max.loopMs;
    const times = isDear ? (call.times ?? MAX_TIMES) : call.times ? 1 : TIMES;
    if (isExpected && n + 1 < times) continue;
    return {
      what: `${methodOf(operation)} ${shownPath(operation)}${call.what ? `: ${call.what}` : ''}`,
      cost: scaled,
      isDear,
      unexpected: isExpected ? null : `${response.status} ${response.text.slice(0, 300)}`,
      statements: await meter.statements(),
    };
  }
}

export const methodOf = ({ endpoint }: Operation) => endpoint.method.toUpperCase();
/** As documents write it. */
export const shownPath = ({ endpoint }: Operation) => endpoint.path.replace(/:(\w+)/g, '{$1}');

/** Runs what must be done before the nth call. */
export async function prepare({ client, owner }: FullApi, { before }: PricedCall, n: number): Promise<void> {
  if (before) await client.query(before.replaceAll('$org', `'${owner.orgId}'`).replaceAll('$n', String(n)));
}

/** The nth request of an operation. */
export function requestOf({ credentials, owner }: FullApi, operation: Operation, n: number): SentRequest {
  const { call, endpoint } = operation;
  const { params = {}, query, body, raw, headers } = call.ask(n, owner);
  const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const content = raw ?? (body && JSON.stringify(body));
  return {
    method: methodOf(operation),
    path: query ? `${path}?${query}` : path,
    headers: {
      ...(content !== undefined && { 'content-type': 'application/json' }),
      ...headers,
      ...credentials[call.as ?? 'owner'],
    },
    body: content,
  };
}

/** A Markdown table, the dearest first. */
export function table(prices: readonly Price[]): string {
  const share = ({ cost }: Price) => Math.max(cost.sqlMs / MAX.sqlMs, cost.loopMs / MAX.loopMs);
  const rows = [...prices].sort((a, b) => share(b) - share(a));
  const cells = rows.map(({ what, cost }) => [what, cost.sqlMs.toFixed(1), cost.loopMs.toFixed(1)]);
  return [['operation', 'database, ms', 'event loop, ms'], ['---', '---:', '---:'], ...cells]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');
}
