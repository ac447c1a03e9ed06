import type { AddressInfo, Socket } from 'node:net';
import { type AppSettings, createApp } from '@jobline/api/app';
import { createBackground } from '@jobline/api/background';
import { createLimits, type LimitSettings } from '@jobline/api/limits';
import { type BuiltFiles, DASHBOARD_DIR, readBuilt } from '@jobline/api/pages';
import { CLIENT_LIMITS, type ClientLimits, createHttpServer } from '@jobline/api/server';
import { createStreams, STREAM_SETTINGS, type StreamSettings } from '@jobline/api/streams';
import { createDb, createHotDb, type DbOptions, findStoredBytes } from '@jobline/db';
import {
  createAmend,
  createCancel,
  createEnqueue,
  createEvents,
  createFindOwnerFault,
  createLimitStore,
  createProducer,
  createRetry,
  createRoutes,
  createSubmit,
  createSubmitBatch,
  createWindow,
  publishJobEvents,
  SUBMIT_CONNECTIONS,
  showQueues,
  subscribeJobEvents,
} from '@jobline/engine';
import { type Catalogue, createCatalogue, QUEUES } from '@jobline/handlers';
import {
  createDirectSends,
  createPaymentReports,
  createSystemMails,
  createTakeFeedback,
  type DirectTimes,
} from '@jobline/messaging';
import { artifactStores, createLiquid, createTxtLookup, emailProviders, smsProviders } from '@jobline/providers';
import { createSecretCipher, type Logger, silentLogger } from '@jobline/runtime';
import { type Call, createCall } from './caller.js';
import { HANG_MS } from './hang.js';

export interface TestApi {
  url: string;
  call: Call;
  /** How many event streams it has open. */
  openStreams(): number;
  /** How many connections it has. */
  openSockets(): number;
  /** What it has written and nobody has taken yet. */
  unsentBytes(): number;
  stop(): Promise<void>;
}

export interface ApiOptions {
  databaseUrl: string;
  redisUrl: string;
  prefix: string;
  catalogue?: Catalogue;
  log?: Logger;
  settings?: Partial<AppSettings>;
  /** As good as none unless told: everybody comes from one address here. */
  limits?: Partial<LimitSettings>;
  streams?: Partial<StreamSettings>;
  clients?: Partial<ClientLimits>;
  /** The limits of waiting of direct sends. */
  directTimes?: DirectTimes;
  /** Settings of providers, the variables that choose them included. */
  providers?: Record<string, string>;
  /** Absent: the built dashboard, if there is one; another build where DASHBOARD_DIR names its folder. */
  pages?: BuiltFiles | null;
  /** The limits of its statements and connections, where they differ from the usual. */
  postgres?: Pick<DbOptions, 'statementTimeoutMs' | 'connectTimeoutMs'>;
  /** None unless given: secrets are in clear. */
  encryptionKeys?: readonly string[];
  /** How long a batch waits for another with its Idempotency-Key. */
  duplicateWaitMs?: number;
  /** Name servers, `address:port`. */
  dnsServers?: readonly string[];
  /** How long an add to Redis may take, where it differs from the usual. */
  redisTimeoutMs?: number;
  /** How long a name server may take. No lookup ends by it unless a test sets it. */
  dnsTimeoutMs?: number;
  /** How long a template may take to render. No template ends by it unless a test sets it. */
  renderLimitMs?: number;
}

/** Budgets that no test meets. */
const NO_LIMITS: LimitSettings = {
  submitPerS: 1_000_000,
  submitBytesPerS: 1_000_000_000,
  sendPerMin: 1_000_000,
  controlPerMin: 1_000_000,
  readPerMin: 1_000_000,
  loginPerMin: 1_000_000,
  credentialsPerMin: 1_000_000,
  maxStoredBytes: Number.MAX_SAFE_INTEGER,
};

/** The real API in this process, on a free port, put together as its main.ts does. */
export async function startApi(options: ApiOptions): Promise<TestApi> {
  const { catalogue = createCatalogue(), log = silentLogger } = options;
  const events = createEvents();
  const postgres = { url: options.databaseUrl, onIdleError: () => undefined, ...options.postgres };
  const db = createDb({ ...postgres, poolSize: 8 });
  const hot = createHotDb({ ...postgres, poolSize: SUBMIT_CONNECTIONS });
  const producer = createProducer({
    redisUrl: options.redisUrl,
    prefix: options.prefix,
    queues: QUEUES,
    events,
    ...(options.redisTimeoutMs !== undefined && { timeoutMs: options.redisTimeoutMs }),
  });
  const window = createWindow(QUEUES, producer);
  const enqueue = createEnqueue({ producer, events });
  const submitDeps = { db, hot, routes: createRoutes({ db, catalogue, events }), producer, window, events, enqueue };
  const submit = createSubmit(submitDeps);
  const submitBatch = createSubmitBatch({
    ...submitDeps,
    ...(options.duplicateWaitMs !== undefined && { duplicateWaitMs: options.duplicateWaitMs }),
  });
  const retry = createRetry(submitDeps);
  const cancel = createCancel({ db, producer, events });
  publishJobEvents(events, producer);
  const heard = { redisUrl: options.redisUrl, prefix: options.prefix, events };
  const streams = createStreams((wake) => subscribeJobEvents(heard, wake), { ...STREAM_SETTINGS, ...options.streams });
  const { providers = {} } = options;
  const email = emailProviders.open(providers, { log });
  const background = createBackground();
  const systemMails = createSystemMails({ email, from: providers.EMAIL_SYSTEM_FROM ?? email.defaultFrom, log });
  const directSends = createDirectSends({ db, email, sms: smsProviders.open(providers, { log }) }, options.directTimes);
  const settings: AppSettings = {
    jwtSecret: 'a secret of the tests, long enough for HS256',
    jwtTtlMs: 3_600_000,
    passwordCost: 4,
    maxBodyBytes: 1024 * 1024,
    registration: 'open',
    senderIds: 'open',
    trustProxy: false,
    corsOrigins: [],
    callbacks: {},
    publicUrl: 'http://localhost',
    ...options.settings,
  };
  const shownQueues = settings.operator && showQueues({ ...heard, queues: QUEUES });
  const limits = createLimits({
    // With a limit that can be reached, a slow machine would take Redis for away and begin to count from zero.
    store: createLimitStore({ ...heard, timeoutMs: HANG_MS }),
    settings: { ...NO_LIMITS, ...options.limits },
    storedBytesOf: (orgId) => findStoredBytes(db, orgId),
    secret: settings.jwtSecret,
  });
  const liquid = createLiquid({ renderLimitMs: options.renderLimitMs ?? HANG_MS });
  const lookUpTxt = createTxtLookup({
    servers: options.dnsServers ?? [],
    timeoutMs: options.dnsTimeoutMs ?? HANG_MS,
    tries: 1,
  });
  const server = createHttpServer(
    createApp({
      db,
      submit,
      submitBatch,
      retry,
      cancel,
      catalogue,
      cipher: createSecretCipher(options.encryptionKeys ?? []),
      artifacts: artifactStores.open(providers, { log }),
      liquid,
      lookUpTxt,
      directSends,
      systemMails,
      limits,
      background,
      takeFeedback: createTakeFeedback({ db, log }),
      takePaymentReports: createPaymentReports({ db, amend: createAmend({ db, events }), log }),
      log,
      findOwnerFault: createFindOwnerFault({ db, producer, prefix: options.prefix }),
      streams,
      shownQueues,
      pages: options.pages === undefined ? readBuilt(process.env.DASHBOARD_DIR ?? DASHBOARD_DIR) : options.pages,
      settings,
    }),
    { ...CLIENT_LIMITS, ...options.clients },
  );
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The cast: a server that listens on a port has such an address.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    call: createCall(url),
    openStreams: streams.size,
    openSockets: () => sockets.size,
    unsentBytes: () => [...sockets].reduce((sum, socket) => sum + socket.writableLength, 0),
    async stop() {
      streams.end();
      shownQueues?.close();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      await systemMails.close();
      await background.settled();
      limits.close();
      await producer.close();
      await liquid.close();
      await Promise.all([db.$disconnect(), hot.close()]);
    },
  };
}
