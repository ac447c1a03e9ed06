import { createCatalogue, defineHandler } from '@jobline/handlers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createWorld,
  finishedJob,
  HANG_MS,
  type Person,
  register,
  type ServiceProxy,
  type Story,
  startProxy,
  submitJob,
  until,
  type World,
} from '../harness/index.js';

let world: World;
let person: Person;
let proxy: ServiceProxy;
/** The steps that the handlers may take. Each handler waits for its own name. */
let goOn: Set<string>;
let running: Set<string>;

const wait = (name: string) => until(`${name} to go on`, () => goOn.has(name));

const catalogue = createCatalogue([
  defineHandler<{ name: string }>({
    type: 'talkative',
    async run({ name }, { log }) {
      running.add(name);
      await wait(`${name} talks`);
      log('info', 'one');
      // The same line again, in the same millisecond.
      log('info', 'one');
      await wait(`${name} talks on`);
      log('info', 'two');
      await wait(`${name} ends`);
      return null;
    },
  }),
]);

beforeAll(async () => {
  world = await createWorld();
  proxy = await startProxy(world.databaseUrl);
  person = await register((await world.api()).call);
  await world.worker({ catalogue, databaseUrl: proxy.url });
});
afterAll(async () => {
  await world.end();
  await proxy.close();
});
beforeEach(() => {
  goOn = new Set();
  running = new Set();
});

async function startTalk(name: string): Promise<string> {
  const id = await submitJob(person, 'talkative', { name });
  await until(`${name} to run`, () => running.has(name));
  return id;
}

const messagesOf = ({ logs }: Pick<Story, 'logs'>) => logs.slice(1).map(({ message }) => message);
const messagesNow = async (id: string) => messagesOf({ logs: (await person.get(`/jobs/${id}/logs`)).body });
/** A part of the statement that writes log lines of running attempts. */
const APPEND = 'WITH ORDINALITY AS n(key, token, kind, level';

describe('log lines whose statement was executed but not answered are recorded once', () => {
  it('if the attempt continues', async () => {
    const id = await startTalk('a');
    const lost = proxy.loseAnswerTo(APPEND);
    goOn.add('a talks');
    await lost;
    goOn.add('a talks on');
    await until('the next line', async () => (await messagesNow(id)).includes('two'));
    const whileRunning = await messagesNow(id);
    goOn.add('a ends');

    expect(whileRunning).toEqual(['one', 'one', 'two']);
    expect(messagesOf(await finishedJob(person, id)).slice(0, -1)).toEqual(['one', 'one', 'two']);
  });

  it('if the attempt ends in the meantime', async () => {
    const id = await startTalk('b');
    const lost = proxy.loseAnswerTo(APPEND);
    goOn.add('b talks');
    await lost;
    for (const step of ['b talks on', 'b ends']) goOn.add(step);

    expect(messagesOf(await finishedJob(person, id)).slice(0, -1)).toEqual(['one', 'one', 'two']);
  });
});

it('log lines of a job whose row is locked are written later and do not delay those of other jobs', async () => {
  const [held, other] = [await startTalk('c'), await startTalk('d')];
  const messages = await world.db.$transaction(
    async (session) => {
      await session.$queryRaw`SELECT FROM live_jobs WHERE id = ${held} FOR SHARE`;
      for (const name of ['c', 'd']) goOn.add(`${name} talks`);
      await until("the other job's lines", async () => (await messagesNow(other)).length === 2);
      return messagesNow(held);
    },
    { timeout: HANG_MS },
  );
  const afterwards = await until('the lines of the job that was held', async () => {
    const now = await messagesNow(held);
    return now.length === 2 && now;
  });
  for (const name of ['c', 'd']) for (const step of ['talks on', 'ends']) goOn.add(`${name} ${step}`);

  expect(messages).toEqual([]);
  expect(afterwards).toEqual(['one', 'one']);
  for (const id of [held, other]) {
    expect(messagesOf(await finishedJob(person, id)).slice(0, -1)).toEqual(['one', 'one', 'two']);
  }
});
