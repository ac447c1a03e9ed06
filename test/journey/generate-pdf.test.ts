import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  browserProcesses,
  createWorld,
  finishedJob,
  type OwnRedis,
  type Person,
  profileDirs,
  type Receiver,
  type Replies,
  register,
  runToEnd,
  type Story,
  spawnWorker,
  startOwnRedis,
  submitJob,
  type TestApi,
  until,
  type World,
} from '../harness/index.js';
import { hostileHtml } from '../pdf/hostile-html.js';
import { type ReadPdf, readPdf } from '../pdf/pdf-reader.js';

let world: World;
let api: TestApi;
let person: Person;
let redis: OwnRedis | null;

async function start(): Promise<void> {
  redis = null;
  world = await createWorld();
  api = await world.api();
  person = await register(api.call);
}

/** After a worker has stopped, nothing of its browser remains. */
async function stop(): Promise<void> {
  await world.end();
  await redis?.end();
  expect(browserProcesses()).toEqual([]);
  expect(profileDirs()).toEqual([]);
}

/** The PDF that a job made, downloaded like a caller does. */
async function openPdf({ job, result, logs }: Story): Promise<ReadPdf & { name: string }> {
  expect(job.status, JSON.stringify([result.error, logs])).toBe('done');
  const [artifact, ...more] = (await person.get(`/jobs/${job.id}/artifacts`)).body;
  expect(more).toEqual([]);
  expect(artifact).toMatchObject({
    name: result.result.artifact,
    content_type: 'application/pdf',
    size: result.result.size,
  });
  const pdf = await readPdf((await person.get(artifact.url)).bytes);
  expect(pdf.pages.length).toBe(result.result.pages);
  return { ...pdf, name: artifact.name };
}

const generate = (template: string, data?: object, more?: object) =>
  runToEnd(person, 'generate_pdf', { template, ...(data && { data }) }, more);

describe('a worker that makes PDFs', () => {
  /** The only host that the outbound guard allows, and its responses. */
  let files: Receiver;
  let reply: Replies;

  beforeAll(async () => {
    await start();
    files = await world.receiver((request, n) => reply(request, n));
    await world.worker({ allowHosts: [files.host] });
  });
  afterAll(stop);

  describe('a PDF', () => {
    it('a PDF of inline HTML contains its data, escaped', async () => {
      const pdf = await openPdf(
        await generate('<h1>Hello {{ name }}</h1>{% for n in list %}<p>{{ n }}</p>{% endfor %}', {
          name: '<b>World</b>',
          list: [1, 2],
        }),
      );

      expect(pdf).toMatchObject({ name: 'document.pdf', pages: ['Hello <b>World</b> 1 2'], size: [596, 842] });
    });

    it('a PDF of an invoice has every line, the totals, and a number on every page', async () => {
      const items = Array.from({ length: 60 }, (_, n) => ({
        description: `Thing ${n + 1}`,
        quantity: n + 1,
        unit_price: 2.5,
      }));
      const data = {
        company: { name: 'Kibo & Sons', address: 'One\nTwo' },
        customer: { name: 'Acacia Traders' },
        number: '2026-7',
        date: '2026-11-21',
        due_date: '2026-12-21',
        currency: 'EUR',
        tax_rate: 10,
        discount: 75,
        items,
      };

      const pdf = await openPdf(await generate('invoice', data));

      const text = pdf.pages.join('\n');
      expect(pdf).toMatchObject({ name: 'invoice.pdf', size: [595, 842] });
      expect(pdf.pages.length).toBeGreaterThan(1);
      for (const { description } of items) expect(text).toContain(description);
      for (const words of [
        'Kibo & Sons',
        'Acacia Traders',
        'No. 2026-7',
        '21 November 2026',
        '21 December 2026',
        '€150.00',
      ]) {
        expect(text).toContain(words);
      }
      // 2.5 × (1 + … + 60) = 4,575; less 75; and a tenth more.
      for (const sum of ['Subtotal €4,575.00', 'Discount -€75.00', 'Tax 10 % €450.00', 'Total €4,950.00'])
        expect(text).toContain(sum);
      for (const [i, page] of pdf.pages.entries()) expect(page).toContain(`Page ${i + 1} of ${pdf.pages.length}`);
      for (const page of pdf.pages.slice(0, -1)) expect(page).toContain('DESCRIPTION QUANTITY UNIT PRICE AMOUNT');
    });

    it('the PDFs of a receipt and of a report contain their data', async () => {
      const receipt = await openPdf(
        await generate('receipt', {
          currency: 'KES',
          method: 'M-PESA',
          items: [{ description: 'Fees', amount: 1200 }],
          tax: 192,
        }),
      );
      const report = await openPdf(
        await generate('report', {
          title: 'Third quarter',
          figures: [{ label: 'Sent', value: '4.8 M' }],
          sections: [{ heading: 'Countries', table: { columns: ['Country', 'Sent'], rows: [['Kenya', 2810400]] } }],
        }),
      );

      expect(receipt.pages[0]).toMatch(/Receipt.*KES.1,392\.00.*PAID.*M-PESA.*Fees/s);
      expect(report.pages[0]).toMatch(/Third quarter.*SENT 4\.8 M.*Countries.*Kenya 2,810,400/s);
    });

    it.each(['invoice', 'receipt', 'report'])('a PDF of the %s needs no data at all', async (template) => {
      const { pages } = await openPdf(await generate(template));

      expect(pages).toHaveLength(1);
      expect(pages[0]?.toLowerCase()).toContain(template);
      expect(pages[0]).not.toMatch(/undefined|null|NaN|\[object|Invalid|\{\{/);
    });
  });

  // Here the guard allows the address: the browser itself must not call it.
  it('hostile HTML reaches no host, even if the guard would allow it', async () => {
    reply = () => ({});
    files.received.length = 0;
    const pdf = await openPdf(await generate(hostileHtml(files.url)));

    expect(pdf.pages.join()).toContain('Still printed');
    expect(files.received.map(({ path }) => path)).toEqual([]);
  });

  it.each([
    ['no-such-template', 'there is no template named "no-such-template"'],
    ['<p>{{ x | raw }}</p>', 'the template cannot be rendered: undefined filter: raw'],
    ['<p>{% for i in (1..999999999) %}x{% endfor %}', 'the template cannot be rendered: '],
    ['<p>{% for i in (1..40) %}{{ big }}{% endfor %}', 'output limit exceeded: the limit is 2097152 bytes'],
  ])('the template %s is refused without a retry, with a clear message', async (template, message) => {
    const story = await generate(template, { big: 'x'.repeat(60_000) }, { max_retries: 3 });

    expect(story.job).toMatchObject({ status: 'failed', retries: 0 });
    expect(story.result.error).toMatchObject({ code: 'invalid_payload', message: expect.stringContaining(message) });
  });
});

describe('several workers with a browser', () => {
  beforeEach(start);
  afterEach(stop);

  it('no more PDFs are made at the same time than the queue has slots', async () => {
    let asked = 0;
    let answerAll: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => {
      answerAll = resolve;
    });
    // Each PDF waits for its image.
    const files = await world.receiver(async () => {
      asked++;
      await answered;
      return {};
    });
    await world.alone.worker({ allowHosts: [files.host], concurrency: 2 });

    const ids = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        submitJob(person, 'generate_pdf', { template: `<img src="${files.url}/${n}">` }),
      ),
    );
    await until('two PDFs to wait', () => asked >= 2);
    // A third one would begin in this time.
    await setTimeout(1_000);
    const atOnce = asked;
    answerAll();
    for (const id of ids) expect((await finishedJob(person, id)).job.status).toBe('done');

    expect(atOnce).toBe(2);
    expect(profileDirs()).toHaveLength(1);
  });

  it('a worker starts without a browser, and only its PDFs fail, with a clear message and a retry', async () => {
    await world.worker({ executablePath: '/no/such/browser' });

    const story = await generate('<p>x</p>', {}, { max_retries: 1 });

    expect(story.job).toMatchObject({ status: 'failed', retries: 1 });
    expect(story.result.error).toMatchObject({
      code: 'provider_unavailable',
      message: expect.stringContaining('/no/such/browser'),
    });
  });

  it('a worker that stops closes the page of a job that it releases, and the next worker makes the PDF', async () => {
    const files = await world.receiver((_, n) => ({ delayMs: n === 1 ? 20_000 : 0 }));
    const first = await world.worker({ allowHosts: [files.host] });
    const id = await submitJob(person, 'generate_pdf', { template: `<p>made</p><img src="${files.url}/x">` });
    await until('the page to wait', () => files.received.length === 1);

    await first.stop(50);
    expect(browserProcesses()).toEqual([]);
    await world.worker({ allowHosts: [files.host] });

    const story = await finishedJob(person, id);
    expect(story.job).toMatchObject({ status: 'done', retries: 0 });
    expect((await openPdf(story)).pages).toEqual(['made']);
  });

  // No process is left to end the browser: the browser must notice by itself.
  it('the browser of a killed worker ends, and the next worker removes its files', async () => {
    redis = await startOwnRedis();
    const place = { redisUrl: redis.url, prefix: 'jobline' };
    person = await register((await world.api(place)).call);
    const files = await world.receiver(() => ({ delayMs: 20_000 }));
    const env = { DATABASE_URL: world.databaseUrl, REDIS_URL: redis.url, OUTBOUND_ALLOW_HOSTS: files.host };
    const doomed = await spawnWorker(env);
    await submitJob(person, 'generate_pdf', { template: `<img src="${files.url}/x">` });
    await until('the page to wait', () => files.received.length === 1);
    expect(browserProcesses(doomed.pid).length).toBeGreaterThan(3);

    await doomed.kill('SIGKILL');

    await until('the browser to end', () => browserProcesses(doomed.pid).length === 0);
    expect(profileDirs(doomed.pid)).toHaveLength(1);
    await world.worker(place);
    await generate('<p>x</p>');
    expect(profileDirs(doomed.pid)).toEqual([]);
  });
});
