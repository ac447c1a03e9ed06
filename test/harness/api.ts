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
  createSubmitTogether,
  createWindow,
  onEvents,
  SUBMIT_CONNECTIONS,
  showQueues,
  tellReaders,
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
  /** How many event streams are open. */
  openStreams(): number;
  /** How many connections are open. */
  openSockets(): number;
  /** How many bytes are written and not yet read by the client. */
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
  /** Practically unlimited unless given: all tests use one address. */
  limits?: Partial<LimitSettings>;
  streams?: Partial<StreamSettings>;
  clients?: Partial<ClientLimits>;
  /** The time limits of direct sends. */
  directTimes?: DirectTimes;
  /** Settings of providers, and the variables that choose the providers. */
  providers?: Record<string, string>;
  /** Absent: the built dashboard, if there is one; DASHBOARD_DIR can name the folder of another build. */
  pages?: BuiltFiles | null;
  /** Limits of statements and connections that differ from the defaults. */
  postgres?: Pick<DbOptions, 'statementTimeoutMs' | 'connectTimeoutMs'>;
  /** Empty unless given: secrets are stored unencrypted. */
  encryptionKeys?: readonly string[];
  /** How long a batch waits for another one with its Idempotency-Key. */
  twinWaitMs?: number;
  /** Name servers, `address:port`. */
  dnsServers?: readonly string[];
  /** How long an add to Redis may take, if it differs from the default. */
  redisTimeoutMs?: number;
  /** Time limit of a name server. It never ends a lookup unless a test sets it. */
  dnsTimeoutMs?: number;
  /** Time limit of rendering a template. It never ends a rendering unless a test sets it. */
  renderLimitMs?: number;
}

/** Limits that no test reaches. */
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

/** The real API in this process, on a free port, composed as in its main.ts. */
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
  const submitTogether = createSubmitTogether({
    ...submitDeps,
    ...(options.twinWaitMs !== undefined && { twinWaitMs: options.twinWaitMs }),
  });
  const retry = createRetry(submitDeps);
  const cancel = createCancel({ db, producer, events });
  tellReaders(events, producer);
  const heard = { redisUrl: options.redisUrl, prefix: options.prefix, events };
  const streams = createStreams((wake) => onEvents(heard, wake), { ...STREAM_SETTINGS, ...options.streams });
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
    // With a limit that can be reached, a slow machine would treat Redis as unavailable and count from zero.
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
      submitTogether,
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
