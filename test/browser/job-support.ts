import { createCatalogue, defineHandler, PermanentError } from '@jobline/handlers';
import type { Page } from 'playwright-core';
import { beforeAll, beforeEach } from 'vitest';
import { finishedJob, type Person, register, submitJob } from '../harness/index.js';
import { photo } from '../image/samples.js';
import type { Look } from './looks.js';
import { type Pages, usePages } from './support.js';

const PDF = Buffer.from(
  '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n' +
    '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF',
);

/** Job types for the tests of the job page. */
const makeHandlers = (held: () => Promise<void>) => [
  defineHandler({
    type: 'in_steps',
    async run(_payload, { log, signal }) {
      log('info', 'step one');
      await Promise.race([
        held(),
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      ]);
      log('info', 'step two');
      return { steps: 2 };
    },
  }),
  defineHandler<{ fails: number }>({
    type: 'fails_first',
    async run({ fails }, { attempt, log }) {
      log('warn', `try ${attempt}`);
      if (attempt <= fails) throw new Error(`not on try ${attempt}`);
      return { tries: attempt };
    },
  }),
  defineHandler<{ lines: number; bytes: number }>({
    type: 'talks',
    async run({ lines, bytes }, { log }) {
      for (let n = 1; n <= lines; n++) log('info', `${n} ${'x'.repeat(bytes)}`);
    },
  }),
  defineHandler({
    type: 'files',
    async run(_payload, { saveArtifact }) {
      await saveArtifact({ name: 'paper.pdf', contentType: 'application/pdf', bytes: PDF });
      await saveArtifact({
        name: 'page.html',
        contentType: 'text/html',
        bytes: Buffer.from('<script>alert(1)</script>'),
      });
    },
  }),
  defineHandler({
    type: 'reports',
    async run(_payload, { progress }) {
      progress(40, 'page 4 of 10');
      await held();
      throw new Error('page 5 is damaged');
    },
  }),
  defineHandler({
    type: 'unsure',
    async run() {
      throw new PermanentError('the connection was lost during the call');
    },
  }),
];

export interface JobPages extends Pages {
  /** The owner of an organization that is created for each test. */
  person: () => Person;
  /** Lets the jobs of type `in_steps` continue. */
  resume: () => void;
  /** The URL of a photo of 1,200 × 800 pixels. */
  imageUrl: () => string;
  /** Opens the page of a job. `id` may contain a query. */
  openJob(id: string, look?: Partial<Look>, as?: Person): Promise<Page>;
  /** Runs a job to its end and opens its page. */
  openRun(type: string, payload: object, more?: object): Promise<Page>;
}

/** Extends `usePages` with a real worker that runs the jobs. */
export function useJobPages(): JobPages {
  const pages = usePages();
  let person: Person;
  let resume: () => void;
  let held: Promise<void>;
  let imageUrl: string;

  beforeAll(async () => {
    const source = await photo(1_200, 800).jpeg({ quality: 95 }).toBuffer();
    const images = await pages.world().receiver(() => ({ body: source, headers: { 'content-type': 'image/jpeg' } }));
    imageUrl = `${images.url}/photo.jpg`;
    const catalogue = createCatalogue([...createCatalogue().values(), ...makeHandlers(() => held)]);
    await pages.world().worker({ catalogue, allowHosts: [images.host], retryBaseMs: 300 });
  });
  beforeEach(async () => {
    person = await register(pages.api().call);
    held = new Promise((resolve) => {
      resume = resolve;
    });
  });

  const openJob: JobPages['openJob'] = (id, look, as = person) => pages.openPageAs(as, `/job/${id}`, look);
  return {
    ...pages,
    person: () => person,
    resume: () => resume(),
    imageUrl: () => imageUrl,
    openJob,
    async openRun(type, payload, more) {
      const id = await submitJob(person, type, payload, more);
      await finishedJob(person, id);
      return openJob(id);
    },
  };
}
