import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, type Person, register, runToEnd, type World } from '../harness/index.js';
import { readPdf } from '../pdf/pdf-reader.js';

let world: World;
let person: Person;

beforeAll(async () => {
  world = await createWorld();
  person = await register((await world.api()).call);
  await world.worker();
});
afterAll(() => world.end());

const generate = (payload: object, more?: object) => runToEnd(person, 'generate_pdf', payload, more);

/** The text of the PDF that a job makes. */
async function textOf(payload: object): Promise<string> {
  const { job, result, logs } = await generate(payload);
  expect(job.status, JSON.stringify([result.error, logs])).toBe('done');
  const [artifact] = (await person.get(`/jobs/${job.id}/artifacts`)).body;
  const { pages } = await readPdf((await person.get(artifact.url)).bytes);
  return pages.join('\n').replaceAll('\u00a0', ' ');
}

it('an invoice with three decimals and formatted texts prints exact sums that add up', async () => {
  const text = await textOf({
    template: 'invoice',
    timezone: 'Africa/Nairobi',
    data: {
      currency: 'KWD',
      date: '2026-03-30T21:00:00Z',
      due_date: '2026-04-30',
      items: [
        { description: 'Fee', unit_price: 1.255 },
        { description: 'Stamps', quantity: '3', unit_price: '0.125' },
        { description: 'Rent', amount: 'KWD 1,200.000' },
      ],
      discount: '10 %',
      tax_rate: '5%',
      shipping: '0.000',
      paid: '0.100',
    },
  });

  for (const words of [
    'Date 31 March 2026',
    'Due 30 April 2026',
    'AMOUNT DUE KWD 1,135.440',
    'Fee 1 KWD 1.255 KWD 1.255',
    'Stamps 3 KWD 0.125 KWD 0.375',
    'Rent 1 KWD 1,200.000',
    'Subtotal KWD 1,201.630 Discount 10 % -KWD 120.163 Tax 5 % KWD 54.073 Total KWD 1,135.540 Paid -KWD 0.100 Amount due KWD 1,135.440',
  ]) {
    expect(text).toContain(words);
  }
  expect(text).not.toContain('Shipping');
});

it('a receipt counts formatted texts, and a credit note prints as a credit', async () => {
  const receipt = await textOf({
    template: 'receipt',
    data: { items: [{ amount: '1,200.00' }, { amount: '$5' }], tax: '0.00' },
  });
  const credit = await textOf({ template: 'invoice', data: { items: [{ description: 'Return', amount: '12.50-' }] } });

  expect(receipt).toMatch(/AMOUNT RECEIVED \$1,205\.00.*Item 1 \$1,200\.00 Item 1 \$5\.00 Total received \$1,205\.00/s);
  expect(receipt).not.toMatch(/Subtotal|Tax/);
  expect(credit).toMatch(/CREDIT -\$12\.50.*Return 1 -\$12\.50 Subtotal -\$12\.50 Total -\$12\.50/s);
});

it('the full stop of a Hebrew sentence is at its left end', async () => {
  // The text of a PDF is read from left to right.
  expect(await textOf({ template: 'invoice', data: { notes: 'שלום רב.' } })).toContain('.רב שלום');
});

it('an amount with two readings fails the job at once and is named; the locale decides it', async () => {
  const data = { items: [{ amount: 5 }, { amount: '1,200' }] };
  const story = await generate({ template: 'invoice', data }, { max_retries: 3 });

  expect(story.job).toMatchObject({ status: 'failed', retries: 0 });
  expect(story.result.error).toMatchObject({
    code: 'invalid_payload',
    message: 'data.items[1].amount "1,200" has two readings, 1200 and 1.2: send it as a number, or name the locale',
  });
  expect(await textOf({ template: 'invoice', data: { ...data, locale: 'en' } })).toContain('Total $1,205.00');
});

it('stored and inline templates have the same filters, and dates print as written', async () => {
  const body = '<p>{{ price | decimal | times: 3 | money: currency }} on {{ day | date: "%-d %B %Y, %H:%M" }}</p>';
  expect((await person.post('/org/templates', { name: 'slip', kind: 'pdf', body })).status).toBe(201);
  const data = { price: '1.200,125', currency: 'KWD', day: '2026-03-31T00:00:00+03:00' };

  expect(await textOf({ template: 'slip', data })).toBe('KWD 3,600.375 on 31 March 2026, 00:00');
  expect(await textOf({ template: body, data, timezone: 'America/New_York' })).toBe(
    'KWD 3,600.375 on 30 March 2026, 17:00',
  );
});

it('an unknown time zone is refused at the submission', async () => {
  const payload = { template: 'invoice', timezone: 'Mars/Olympus' };
  const answer = await person.post('/jobs', { type: 'generate_pdf', payload });

  expect(answer.status).toBe(400);
  expect(answer.body.error).toMatchObject({ code: 'validation_failed', details: [{ path: 'payload.timezone' }] });
});
