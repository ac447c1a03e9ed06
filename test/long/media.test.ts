import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  browserProcesses,
  createWorld,
  type OwnRedis,
  type Person,
  profileDirs,
  register,
  spawnWorker,
  startOwnRedis,
  submitJob,
  until,
  type World,
} from '../harness/index.js';
import { photo } from '../image/samples.js';

const IMAGES = 1_000;
const PDFS = 200;

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
});

/** Runs the given number of jobs of each kind and waits for all of them. */
async function run(imageUrl: string, images: number, pdfs: number): Promise<void> {
  const before = await world.db.job.count();
  for (let n = 0; n < images; n++) await submitJob(person, 'compress_image', { url: imageUrl, width: 320 });
  for (let n = 0; n < pdfs; n++) {
    const items = [{ description: `Part ${n}`, quantity: n, unit_price: 9.5 }];
    await submitJob(person, 'generate_pdf', { template: 'invoice', data: { number: n, items } });
  }
  const total = before + images + pdfs;
  await until('all jobs to be done', async () => (await world.db.job.count({ where: { status: 'done' } })) === total);
}

/** The memory of the worker process, without the processes of its browser. */
function residentMiB(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]) / 1024;
}

it('a worker that processes 1,000 images and 200 PDFs keeps its memory constant and leaves no browser behind', async () => {
  const image = await photo(1_200, 800).jpeg().toBuffer();
  const receiver = await world.receiver(() => ({ headers: { 'content-type': 'image/jpeg' }, body: image }));
  const worker = await spawnWorker({
    DATABASE_URL: world.databaseUrl,
    REDIS_URL: redis.url,
    OUTBOUND_ALLOW_HOSTS: receiver.host,
  });
  try {
    const rssMiB: number[] = [];
    let browsers = 0;
    const watch = setInterval(() => {
      browsers = Math.max(browsers, browserProcesses(worker.pid).length);
    }, 200);
    for (let part = 0; part < 10; part++) {
      await run(receiver.url, IMAGES / 10, PDFS / 10);
      rssMiB.push(Math.round(residentMiB(worker.pid)));
    }
    clearInterval(watch);
    await worker.kill('SIGTERM');
    await until('the browser to exit', () => browserProcesses(worker.pid).length === 0);

    console.log({ rssMiB, browserProcesses: browsers, left: browserProcesses(worker.pid).length });
    expect(browsers).toBeGreaterThan(0);
    expect(profileDirs(worker.pid)).toEqual([]);
    expect(rssMiB[9]).toBeLessThan((rssMiB[4] ?? 0) * 1.15);
  } finally {
    await worker.kill('SIGTERM');
  }
});
