import { Jobline, type JoblineOptions } from '@jobline/client';
import { createCatalogue, defineHandler } from '@jobline/handlers';
import { newKey } from '../api/support.js';
import {
  type ApiOptions,
  createWorld,
  type Person,
  type Receiver,
  register,
  type ServiceProxy,
  startApi,
  startProxy,
  type TestApi,
  until,
  type World,
} from '../harness/index.js';

/** An organization with a client for its API key and one for the session of its owner. */
export interface ClientWorld {
  world: World;
  api: TestApi;
  /** A receiver of webhooks. */
  receiver: Receiver;
  /** Through it the clients reach the API. */
  proxy: ServiceProxy;
  person: Person;
  key: string;
  client: Jobline;
  session: Jobline;
  /** Another client with the API key. */
  clientWith(options: Partial<JoblineOptions>): Jobline;
  /** Ends the jobs of the type `held`. */
  release(): void;
  /** Stops the API and starts it again, on another port behind the same proxy. */
  restartApi(): Promise<void>;
  end(): Promise<void>;
}

/** With the types `echo`, which returns its payload, `failing`, and `held`, which runs until it is released. */
export async function createClientWorld(options: Partial<ApiOptions> = {}): Promise<ClientWorld> {
  let isHeld = true;
  const handlers = [
    defineHandler({
      type: 'echo',
      run: async (payload, { log }) => {
        log('info', 'echoing');
        return payload;
      },
    }),
    defineHandler({
      type: 'failing',
      run: async () => {
        throw new Error('as the test wants');
      },
    }),
    defineHandler({
      type: 'held',
      run: async (_payload, { log, progress, signal }) => {
        log('info', 'holding');
        progress(40.7, 'holding\non');
        await until('the job to be released', () => !isHeld || signal.aborted);
        return { released: true };
      },
    }),
  ];
  const world = await createWorld();
  const catalogue = createCatalogue([...createCatalogue().values(), ...handlers]);
  const receiver = await world.receiver();
  await world.worker({ catalogue, queues: ['io', 'cpu', 'events'], allowHosts: [receiver.host] });
  const { databaseUrl, redisUrl, prefix } = world;
  const start = () => startApi({ databaseUrl, redisUrl, prefix, catalogue, ...options });
  let api = await start();
  const proxy = await startProxy(api.url, 'http');
  const person = await register(api.call);
  const { key } = await newKey(person);
  const { url } = proxy;
  return {
    world,
    get api() {
      return api;
    },
    receiver,
    proxy,
    person,
    key,
    client: new Jobline({ url, key }),
    session: new Jobline({ url, token: person.token }),
    clientWith: (more) => new Jobline({ url, key, ...more }),
    release() {
      isHeld = false;
    },
    async restartApi() {
      await api.stop();
      proxy.cut();
      api = await start();
      proxy.switchTo(api.url);
    },
    async end() {
      isHeld = false;
      await proxy.close();
      await api.stop();
      await world.end();
    },
  };
}

/** What the call rejects with. */
export async function rejection(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    (value) => {
      throw new Error(`it resolved with ${JSON.stringify(value)}`);
    },
    (error: unknown) => error,
  );
}
