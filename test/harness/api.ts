import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AppSettings, createApp } from '@jobline/api/app';
import { createDb } from '@jobline/db';
import {
  createCancel,
  createEnqueue,
  createEvents,
  createProducer,
  createRetry,
  createSubmit,
  createSubmitTogether,
  createWindow,
} from '@jobline/engine';
import { type Catalogue, createCatalogue, QUEUES } from '@jobline/handlers';
import { type Logger, silentLogger } from '@jobline/runtime';
import { type Call, createCall } from './caller.js';

export interface TestApi {
  url: string;
  call: Call;
  stop(): Promise<void>;
}

export interface ApiOptions {
  databaseUrl: string;
  redisUrl: string;
  prefix: string;
  catalogue?: Catalogue;
  log?: Logger;
  settings?: Partial<AppSettings>;
}

/** The real API in this process, on a free port, put together as its main.ts does. */
export async function startApi(options: ApiOptions): Promise<TestApi> {
  const { catalogue = createCatalogue(), log = silentLogger } = options;
  const events = createEvents();
  const db = createDb({ url: options.databaseUrl, poolSize: 10, onIdleError: () => undefined });
  const producer = createProducer({ redisUrl: options.redisUrl, prefix: options.prefix, queues: QUEUES, events });
  const window = createWindow(QUEUES, producer);
  const enqueue = createEnqueue({ producer, events });
  const submitDeps = { db, catalogue, producer, window, events, enqueue };
  const submit = createSubmit(submitDeps);
  const submitTogether = createSubmitTogether(submitDeps);
  const retry = createRetry(submitDeps);
  const cancel = createCancel({ db, producer, events });
  const settings: AppSettings = {
    jwtSecret: 'a secret of the tests, long enough for HS256',
    jwtTtlMs: 3_600_000,
    passwordCost: 4,
    maxBodyBytes: 1024 * 1024,
    registration: 'open',
    trustProxy: false,
    publicUrl: 'http://localhost',
    ...options.settings,
  };
  const server = createServer(createApp({ db, submit, submitTogether, retry, cancel, catalogue, log, settings }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The cast: a server that listens on a port has such an address.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    call: createCall(url),
    async stop() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      await producer.close();
      await db.$disconnect();
    },
  };
}
