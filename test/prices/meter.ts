import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import pg from 'pg';
import { until } from '../harness/index.js';
import { type Cost, measureReference, startBusy } from '../harness/reference.js';

export interface SentRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string | undefined;
}

export interface Response {
  status: number;
  headers: Record<string, string | undefined>;
  bytes: number;
  /** Its beginning. */
  text: string;
}

export interface Meter {
  /** Sends a request to the API in this process, and measures it. `isCalm`: after the garbage of earlier ones is collected, which takes a while. */
  measure(request: SentRequest, isCalm: boolean): Promise<{ cost: Cost; response: Response }>;
  /** The statements of the last request, the dearest first. */
  statements(): Promise<string[]>;
  /** What a fixed statement and a fixed loop cost now. */
  reference(): Promise<Cost>;
  end(): Promise<void>;
}

/**
 * Measures an API in this process that alone uses a database. It looks through another database of the same server, so that the
 * measurement is not counted.
 */
export async function createMeter(adminUrl: string, database: string, apiUrl: string): Promise<Meter> {
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  await admin.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
  const caller = fork(fileURLToPath(new URL('caller.mjs', import.meta.url)), { serialization: 'advanced' });

  const isQuiet = async () => {
    const { rows } = await admin.query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = $1 AND backend_type = 'client backend' AND state <> 'idle' LIMIT 1`,
      [database],
    );
    return rows.length === 0;
  };
  const OF_DATABASE = `pg_stat_statements WHERE dbid = (SELECT oid FROM pg_database WHERE datname = $1)`;

  return {
    async measure({ path, ...request }, isCalm) {
      await answerOf(caller, { ...request, url: apiUrl + path });
      if (isCalm) collectGarbage();
      await until('Postgres to be idle', isQuiet);
      await admin.query('SELECT pg_stat_statements_reset()');
      const busy = startBusy();
      // The cast: that is what the caller sends.
      const response = (await answerOf(caller, 'go')) as Response;
      const loopMs = busy();
      await until('Postgres to be idle', isQuiet);
      const { rows } = await admin.query<{ ms: number }>(
        `SELECT coalesce(sum(total_exec_time + total_plan_time), 0) AS ms FROM ${OF_DATABASE}`,
        [database],
      );
      return { cost: { sqlMs: rows[0]?.ms ?? Number.NaN, loopMs }, response };
    },
    async statements() {
      const { rows } = await admin.query<{ text: string }>(
        `SELECT (total_exec_time + total_plan_time)::int || ' ms, ' || calls || ' times: ' || regexp_replace(query, '\\s+', ' ', 'g') AS text
         FROM ${OF_DATABASE} ORDER BY total_exec_time + total_plan_time DESC LIMIT 3`,
        [database],
      );
      return rows.map(({ text }) => text);
    },
    reference: () => measureReference((sql) => admin.query(sql)),
    async end() {
      caller.disconnect();
      await Promise.all([admin.end(), once(caller, 'exit')]);
    },
  };
}

setFlagsFromString('--expose-gc');
// The cast: the flag defines it in new contexts.
const collectGarbage = runInNewContext('gc') as () => void;

async function answerOf(caller: ChildProcess, message: unknown): Promise<unknown> {
  const answered = once(caller, 'message');
  // The cast: it is an object or a text.
  caller.send(message as object);
  return (await answered)[0];
}
