import { createHmac } from 'node:crypto';
import { createCatalogue } from '@jobline/handlers';
import { expect } from 'vitest';
import {
  type Answered,
  type Call,
  createWorld,
  finishedJob,
  type Person,
  type Received,
  type Reply,
  register,
  submitJob,
  type World,
} from '../harness/index.js';
import { createNamedJobs, type NamedJobs } from './named-jobs.js';

export interface Hook {
  id: string;
  secret: string;
}

/** A world with a worker that delivers events, and one receiver of them. */
export interface HookWorld {
  world: World;
  jobs: NamedJobs;
  /** The owner of the organization of the current test. */
  person: Person;
  newPerson(): Promise<Person>;
  call: Call;
  /** The receiver, for the requests of the current test. */
  readonly url: string;
  /** The answer of the receiver from now on. */
  reply(request: Received): Reply | Promise<Reply>;
  /** The requests to a path. */
  at(path: string): Received[];
  createHook(events: string[], path?: string): Promise<Hook>;
  /** The deliveries to a webhook, as the API lists them. */
  deliveriesOf(hook: Hook, query?: string): Promise<Answered['body'][]>;
  /** Runs a job of the type `first` to its end. */
  runFirst(name: string, more?: object): Promise<string>;
  /** Makes the next attempts of all deliveries due. */
  hurry(): Promise<void>;
  /** Begins a test, with an organization of its own. */
  reset(): Promise<void>;
}

/** With the `host:port` of further receivers. `concurrency`: the slots of each queue. */
export async function createHookWorld(receivers: readonly string[] = [], concurrency = 50): Promise<HookWorld> {
  const jobs = createNamedJobs(['first']);
  const world = await createWorld();
  const api = await world.api();
  // Each test has addresses of its own, because an attempt of an earlier test can come during a later one.
  let test = 0;
  const isOfTest = ({ path }: Received) => path.startsWith(`/${test}/`);
  const local = (request: Received) => ({ ...request, path: request.path.slice(`/${test}`.length) });
  const receiver = await world.receiver((request) => (isOfTest(request) ? hooks.reply(local(request)) : {}));
  await world.worker({
    catalogue: createCatalogue(jobs.handlers),
    queues: ['io', 'events'],
    concurrency,
    allowHosts: [receiver.host, ...receivers],
  });
  const hooks: HookWorld = {
    world,
    jobs,
    person: await register(api.call),
    newPerson: () => register(api.call),
    call: api.call,
    get url() {
      return `${receiver.url}/${test}`;
    },
    reply: () => ({}),
    at: (path) => receiver.received.filter(({ path: received }) => received === `/${test}${path}`),
    async createHook(events, path = '/hook') {
      const answer = await hooks.person.post('/org/webhooks', { url: hooks.url + path, events });
      expect(answer.status, answer.text).toBe(201);
      return answer.body;
    },
    deliveriesOf: async ({ id }, query = '') => (await hooks.person.get(`/org/webhooks/${id}/deliveries${query}`)).body,
    async runFirst(name, more = {}) {
      const id = await submitJob(hooks.person, 'first', { name }, more);
      await finishedJob(hooks.person, id);
      return id;
    },
    async hurry() {
      await world.db.$executeRaw`
        UPDATE webhook_deliveries SET next_attempt_at = now() WHERE status = 'pending' AND attempts_left > 0`;
      await world.db.$executeRaw`
        UPDATE live_jobs SET run_at = now() WHERE type = '*deliver_event' AND status = 'pending'`;
    },
    async reset() {
      await jobs.reset();
      test++;
      hooks.reply = () => ({});
      hooks.person = await register(api.call);
    },
  };
  return hooks;
}

export const eventOf = (request: Received | undefined): Answered['body'] => JSON.parse(request?.text ?? '');

/** Whether a request is signed by a secret, by the rules of standardwebhooks.com, without the product's own code. */
export function isSigned({ headers, text }: Received, secret: string): boolean {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signed = createHmac('sha256', key).update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`);
  return String(headers['webhook-signature'])
    .split(' ')
    .includes(`v1,${signed.digest('base64')}`);
}
