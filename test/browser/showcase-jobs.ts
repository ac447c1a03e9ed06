import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { finishedJob, type Person, submitJob, type World } from '../harness/index.js';
import { photo } from '../image/samples.js';

/**
 * Inserts a day of a shop's jobs: many in working hours, few at night, one in thirty failed. The pending jobs never
 * run.
 */
export async function fillDay({ db }: World, { orgId }: Person): Promise<void> {
  await db.$executeRaw`
    WITH kinds(type, queue, prefix, took, code, message) AS (VALUES
      ('send_email', 'io', 'receipt', 180, 'provider_unavailable', 'the email provider answered 503'),
      ('send_sms', 'io', 'dispatch', 240, 'provider_rejected', 'InvalidPhoneNumber'),
      ('webhook', 'io', 'stock', 90, 'handler_error', 'the receiver answered 500'),
      ('mobile_money_stk', 'io', 'checkout', 640, 'provider_rejected', 'the payer is not known'),
      ('generate_pdf', 'browser', 'invoice', 820, 'timeout', 'not finished within 60 s'),
      ('compress_image', 'cpu', 'photo', 310, 'handler_error', 'the image answered 404'),
      ('send_chat_message', 'io', 'pickup', 150, 'provider_unavailable', 'no answer within 10 s'),
      ('team_chat_notify', 'io', 'team', 120, 'provider_unavailable', 'no answer within 10 s'),
      ('ai_summarize', 'cpu', 'digest', 450, 'timeout', 'not finished within 60 s')),
    moments AS (
      SELECT n, now() - interval '3 minutes' - interval '24 hours' * n / 1200 AS at,
             abs(hashint4(n) % 1000) AS chance, abs(hashint4(n + 5000) % 100) AS draw
      FROM generate_series(0, 1199) AS n),
    picked AS (
      SELECT *, CASE WHEN n IN (4, 7, 8) THEN 'pending' WHEN chance % 30 = 7 THEN 'failed' ELSE 'done' END AS status,
             CASE WHEN draw < 28 THEN 'send_email' WHEN draw < 48 THEN 'send_sms' WHEN draw < 64 THEN 'webhook'
                  WHEN draw < 76 THEN 'mobile_money_stk' WHEN draw < 84 THEN 'generate_pdf' WHEN draw < 90 THEN 'compress_image'
                  WHEN draw < 94 THEN 'send_chat_message' WHEN draw < 98 THEN 'team_chat_notify' ELSE 'ai_summarize' END AS type
      FROM moments WHERE n < 9 OR chance < 80 + 520 * sin(pi() * (extract(hour FROM at AT TIME ZONE 'Africa/Nairobi') + 1) / 25) ^ 4)
    INSERT INTO jobs (key, org_id, id, type, queue, payload, status, attempt, retries, max_retries, run_at, created_at, updated_at,
                      started_at, finished_at, duration_ms, error_code, error_message, place)
    SELECT gen_random_uuid(), ${orgId}::uuid, prefix || '-' || 48300 - n, type, queue, '{}', status::job_status,
           CASE status WHEN 'pending' THEN 0 WHEN 'failed' THEN 4 ELSE 1 + (n % 17 = 5)::int END,
           CASE status WHEN 'pending' THEN 0 WHEN 'failed' THEN 3 ELSE (n % 17 = 5)::int END, 3,
           CASE WHEN status = 'pending' THEN now() + interval '1 day' ELSE at END, at,
           CASE WHEN status = 'pending' THEN at ELSE at + interval '1 ms' * (took + chance) END,
           CASE WHEN status <> 'pending' THEN at END, CASE WHEN status <> 'pending' THEN at + interval '1 ms' * (took + chance) END,
           CASE WHEN status <> 'pending' THEN took + chance / 4 END,
           CASE WHEN status = 'failed' THEN code END, CASE WHEN status = 'failed' THEN message END, 'scheduled'
    FROM picked JOIN kinds USING (type)`;
}

/** Runs some jobs: a PDF, an image, a team chat message, and a webhook whose receiver rejects every attempt. */
export async function runSome(world: World, owner: Person): Promise<void> {
  const picture = await photo(1_200, 800).jpeg({ quality: 95 }).toBuffer();
  const shop = await world.receiver(({ path }) =>
    path.endsWith('.jpg')
      ? { body: picture, headers: { 'content-type': 'image/jpeg' } }
      : { status: 503, body: '{"error": "the warehouse accepts no orders before 07:00"}' },
  );
  const worker = await world.worker({ allowHosts: [shop.host], retryBaseMs: 300 });
  const order = { order: 48301, items: [{ sku: 'LAMP-02', quantity: 2 }], total: 7_400, currency: 'KES' };
  const started: [id: string, type: string, payload: object][] = [
    ['parcel-48301', 'webhook', { url: `${shop.url}/orders`, payload: order }],
    ['photo-lamp-02', 'compress_image', { url: `${shop.url}/lamp-02.jpg`, width: 600, quality: 72 }],
    ['invoice-48301', 'generate_pdf', { template: 'invoice', data: { number: 'HG-48301', total: 'KES 7,400' } }],
    ['team-48301', 'team_chat_notify', { channel: '#orders', text: 'Order 48301: KES 7,400' }],
  ];
  for (const [id, type, payload] of started) await submitJob(owner, type, payload, { id, max_retries: 3 });
  const states = await Promise.all(started.map(async ([id]) => (await finishedJob(owner, id)).job.status));
  expect(states).toEqual(['failed', 'done', 'done', 'done']);
  await worker.stop();
  await nameTheShop(world, owner, shop.url);
  await runningNow(world, owner);
}

/** Replaces the URL of the test's receiver, whose port changes, with a constant name for the screenshots. */
async function nameTheShop({ db }: World, { orgId }: Person, url: string): Promise<void> {
  const name = 'https://warehouse.harborgoods.example';
  await db.$executeRaw`UPDATE job_logs SET message = replace(message, ${url}, ${name}) WHERE org_id = ${orgId}::uuid`;
  await db.$executeRaw`
    UPDATE jobs SET payload = replace(payload::text, ${url}, ${name})::json WHERE org_id = ${orgId}::uuid`;
}

/** Inserts two running jobs. There is no worker then that would take them over. */
async function runningNow({ db }: World, { orgId }: Person): Promise<void> {
  for (const [id, type] of [
    ['receipt-48303', 'send_email'],
    ['checkout-48302', 'mobile_money_stk'],
  ] as const) {
    const uuid = createHash('sha256').update(id).digest('hex').slice(0, 32);
    await db.$executeRaw`
      INSERT INTO jobs (key, org_id, id, type, queue, payload, status, attempt, max_retries, run_at, created_at, updated_at,
                        started_at, worker_id, claim_token)
      VALUES (gen_random_uuid(), ${orgId}::uuid, ${id}, ${type}, 'io', '{}', 'processing', 1, 3, now(), now(), now(),
              now(), ${uuid}::uuid, ${uuid}::uuid)`;
  }
}
