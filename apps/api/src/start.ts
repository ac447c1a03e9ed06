import type { Server } from 'node:http';
import { findStoredBytes } from '@jobline/db';
import {
  createCompileSchema,
  createCustomTypes,
  createLimitStore,
  createReadStored,
  createSourceReads,
  repeatTasks,
} from '@jobline/engine';
import { type Catalogue, createCatalogue } from '@jobline/handlers';
import { artifactStores, createLiquid } from '@jobline/providers';
import {
  createMetrics,
  createSecretCipher,
  type Logger,
  listen,
  type Metrics,
  repeat,
  stopAll,
} from '@jobline/runtime';
import { createApp } from './app.js';
import { createBackground } from './background.js';
import { type AppSettings, appSettings, type Config, limitSettings } from './config.js';
import { type ClientLimits, clientLimits, createCloseServer, createHttpServer } from './http/server.js';
import { createMailNotices } from './mail-notices.js';
import { type BuiltFiles, DASHBOARD_DIR, readBuilt } from './pages/files.js';
import { createLimits } from './rate-limits/checks.js';
import type { LimitSettings } from './rate-limits/rate-limits.js';
import { createStreams, STREAM_SETTINGS, type StreamSettings } from './streams/streams.js';
import { type EngineOverrides, type MessagingOverrides, wireEngine, wireMessaging } from './wiring.js';

export type { AppSettings } from './config.js';

export interface RunningApi {
  /** The port that the server listens on, also if the configured one is 0. */
  port: number;
  server: Server;
  /** How many event streams are open. */
  openStreams(): number;
  /** Answers the requests that have arrived, rejects new ones, and closes all connections. */
  stop(): Promise<void>;
}

/** Replaces parts of the composition: metrics in production, and limits in tests. */
export interface ApiOverrides extends EngineOverrides, MessagingOverrides {
  metrics?: Metrics;
  catalogue?: Catalogue;
  settings?: Partial<AppSettings>;
  limits?: Partial<LimitSettings>;
  streams?: Partial<StreamSettings>;
  clients?: Partial<ClientLimits>;
  /** The dashboard; null: it is not built. Default: the built one. */
  pages?: BuiltFiles | null;
  /** How long the rate limits wait for Redis before each process counts alone. */
  limitStore?: { timeoutMs: number };
  /** How long a template may take to render. */
  renderLimitMs?: number;
  /** How long `stop` waits for the requests that are under way. */
  finishWithinMs?: number;
}

/** The caller waits for a template to be rendered. */
const RENDER_LIMIT_MS = 100;
const FINISH_WITHIN_MS = 10_000;

/**
 * Composes the API and listens. It needs neither Postgres nor Redis to start; it is not ready until Postgres answers.
 * Tests start the API with the same function.
 */
export async function startApi(config: Config, log: Logger, overrides: ApiOverrides = {}): Promise<RunningApi> {
  const { metrics = createMetrics(), catalogue = createCatalogue() } = overrides;
  const settings = { ...appSettings(config), ...overrides.settings };
  const watched = { log, metrics };
  const artifacts = artifactStores.open(config, { log });
  const engine = wireEngine(config, { catalogue, artifacts, ...watched }, overrides);
  const liquid = createLiquid({ renderLimitMs: overrides.renderLimitMs ?? RENDER_LIMIT_MS });
  const messaging = wireMessaging(config, { ...engine, ...watched, ...liquid }, overrides);
  const streams = createStreams(engine.subscribeToEvents, { ...STREAM_SETTINGS, ...overrides.streams });
  metrics.gauge('event_streams', 'Event streams that are open.', streams.size);
  const limits = createLimits({
    store: createLimitStore({ ...engine.redis, ...overrides.limitStore }),
    settings: { ...limitSettings(config), ...overrides.limits },
    storedBytesOf: (orgId) => findStoredBytes(engine.db, orgId),
    secret: settings.jwtSecret,
  });
  const background = createBackground();
  const shownQueues = settings.operator && engine.showQueues();
  const customTypes = createCustomTypes({ catalogue, published: engine.published, compile: createCompileSchema(log) });
  const app = createApp({
    ...engine,
    ...messaging,
    ...watched,
    catalogue,
    customTypes,
    cipher: createSecretCipher(config.ENCRYPTION_KEY),
    readStored: createReadStored(artifacts),
    startSourceReads: createSourceReads({ db: engine.db, artifacts }),
    liquid,
    limits,
    background,
    streams,
    pages: overrides.pages === undefined ? builtPages(log) : overrides.pages,
    shownQueues,
    settings,
  });
  const server = createHttpServer(app, { ...clientLimits(config), ...overrides.clients });
  const closeServer = createCloseServer(server);
  const mailNotices = createMailNotices({ ...engine, ...messaging, log, publicUrl: settings.publicUrl });
  const maintenance = [repeatTasks(engine.tasks), ...mailNotices.map(repeat)];

  async function release(): Promise<void> {
    await stopAll(maintenance);
    streams.end();
    shownQueues?.close();
    await messaging.systemMails.close();
    await background.settled();
    await messaging.sandboxReports.close();
    limits.close();
    await liquid.close();
    artifacts?.close();
    await engine.close();
  }

  try {
    const port = await listen(server, { host: config.HOST, port: config.PORT, setting: 'PORT' });
    log.info('listening', { host: config.HOST, port });
    return {
      port,
      server,
      openStreams: streams.size,
      async stop() {
        // First, because streams never end by themselves.
        streams.end();
        await closeServer(overrides.finishWithinMs ?? FINISH_WITHIN_MS);
        await release();
      },
    };
  } catch (error) {
    await release();
    throw error;
  }
}

function builtPages(log: Logger): BuiltFiles | null {
  const pages = readBuilt(DASHBOARD_DIR);
  if (!pages) log.warn('the dashboard is not built, so its pages are not served: run `npm run build`');
  return pages;
}
