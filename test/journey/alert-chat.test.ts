import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, type Person, register, until, type World } from '../harness/index.js';
import { checkAll, choose, endEarlier, storeEnded, storePending } from './alert-jobs.js';

let world: World;
let person: Person;

beforeAll(async () => {
  world = await createWorld();
  person = await register((await world.api()).call);
});
afterAll(() => world.end());

const check = async () => expect(await checkAll(world.db)).toBe(0);

it('an alert that is raised is posted once to its channel, and neither its end nor a second alert within an hour is', async () => {
  const chat = { channel: '#alerts' };
  await choose(person, { chat, failure_rate_percent: 20, oldest_waiting_seconds: 60 });
  for (let episode = 0; episode < 2; episode++) {
    await storeEnded(world.db, person.orgId, { done: 30, failed: 20 });
    await check();
    await check();
    await endEarlier(world.db, person.orgId, 15);
    await check();
  }
  await storePending(world.db, person.orgId, { dueForS: 120 });
  await check();
  await world.db.$executeRaw`DELETE FROM live_jobs WHERE org_id = ${person.orgId}::uuid`;

  const posts = { type: 'team_chat_notify' };
  expect(await world.db.liveJob.count({ where: posts })).toBe(2);
  expect((await person.get('/jobs?type=team_chat_notify')).body).toEqual([]);
  const slack = await world.receiver(() => ({ body: JSON.stringify({ ok: true, channel: 'C1', ts: '1' }) }));
  const settings = { TEAM_CHAT_API_KEY: 'xoxb-token', TEAM_CHAT_BASE_URL: slack.url };
  await world.worker({ providers: { TEAM_CHAT_PROVIDER: 'slack', ...settings } });
  await until('the posts', async () => (await world.db.finishedJob.count({ where: posts })) === 2);
  const bodies = slack.received.map(({ text }) => JSON.parse(text));
  expect(bodies.map(({ channel }) => channel)).toEqual(['#alerts', '#alerts']);
  expect(bodies.map(({ text }) => text).sort()).toEqual([
    expect.stringMatching(
      /: 40 % of your jobs failed in the last 15 minutes\. The threshold is 20 %\.\nhttps:.+failed$/,
    ),
    expect.stringMatching(/: a job has been waiting for \d+ seconds\. The threshold is 60 seconds\.\nhttps:.+pending$/),
  ]);
});
