import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  createWorld,
  type OwnRedis,
  type Person,
  register,
  spawnWorker,
  startOwnRedis,
  until,
  uploadFile,
  type World,
} from '../harness/index.js';
import { closeAll } from '../providers/receivers.js';
import { smtpStandIn } from '../providers/smtp-stand-in.js';

const BATCHES = 10;
/** Of one batch. A shorter form: EMAILS=100. */
const EMAILS = Number(process.env.EMAILS ?? 1_000);
const MIB = 1024 * 1024;
/** What a job, its log, its message and their indexes take in Postgres. */
const MAX_ROW_BYTES = 8_192;

let world: World;
let redis: OwnRedis;
let person: Person;

beforeEach(async () => {
  world = await createWorld();
  redis = await startOwnRedis();
  person = await register((await world.api({ redisUrl: redis.url, prefix: 'jobline' })).call);
});
afterEach(async () => {
  await world.end();
  await redis.end();
  await closeAll();
});

/** The memory of a process. */
function residentMiB(pid: number): number {
  return Math.round(Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]) / 1024);
}

async function databaseBytes(): Promise<number> {
  const [row] = await world.db.$queryRaw<{ bytes: number }[]>`
    SELECT pg_database_size(current_database())::float8 AS bytes`;
  return row?.bytes ?? 0;
}

it('ten batches of a thousand emails with one attachment of 1 MiB leave the memory and the rows as they are', async () => {
  let received = 0;
  let bytes = 0;
  const server = await smtpStandIn({
    onData(stream, _session, done) {
      stream.on('data', (chunk) => {
        bytes += chunk.length;
      });
      stream.on('end', () => {
        received++;
        done();
      });
    },
  });
  const worker = await spawnWorker({
    DATABASE_URL: world.databaseUrl,
    REDIS_URL: redis.url,
    EMAIL_PROVIDER: 'smtp',
    EMAIL_SMTP_HOST: '127.0.0.1',
    EMAIL_SMTP_PORT: String(server.port),
    EMAIL_SMTP_TLS: 'none',
    EMAIL_DEFAULT_FROM: 'Acme <hello@acme.example>',
  });
  try {
    const file = await uploadFile(person, new Uint8Array(randomBytes(MIB)));
    const payload = { to: 'ada@example.com', subject: 'Hello', text: 'See the file.', attachments: [{ file }] };
    const before = await databaseBytes();
    const rssMiB: number[] = [];
    let highestMiB = 0;
    const watch = setInterval(() => {
      highestMiB = Math.max(highestMiB, residentMiB(worker.pid));
    }, 100);
    for (let batch = 1; batch <= BATCHES; batch++) {
      const jobs = Array.from({ length: EMAILS }, () => ({ type: 'send_email', payload }));
      expect(await person.post('/jobs/batch', { jobs })).toMatchObject({ status: 202 });
      const total = batch * EMAILS;
      await until(
        'all emails to be sent',
        async () => (await world.db.job.count({ where: { status: 'done' } })) === total,
      );
      rssMiB.push(residentMiB(worker.pid));
    }
    clearInterval(watch);
    const rowBytes = Math.round(((await databaseBytes()) - before) / (BATCHES * EMAILS));

    console.log({ rssMiB, highestMiB, rowBytes, received, receivedMiB: Math.round(bytes / MIB) });
    expect(received).toBe(BATCHES * EMAILS);
    expect(bytes).toBeGreaterThan(BATCHES * EMAILS * MIB);
    expect(rssMiB[9]).toBeLessThan((rssMiB[1] ?? 0) * 1.15);
    expect(rowBytes).toBeLessThan(MAX_ROW_BYTES);
  } finally {
    await worker.kill('SIGTERM');
  }
});
