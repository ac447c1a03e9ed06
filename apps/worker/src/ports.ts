import { activeWebhookSecrets, type Db, findTemplateByName, openSecrets } from '@jobline/db';
import type { ArtifactStore, PaymentsProvider, Ports } from '@jobline/handlers';
import {
  createCompose,
  createEventDeliveries,
  createJobLookups,
  createMessages,
  createPayments,
  createTakeFeedback,
  readBeforeEffect,
} from '@jobline/messaging';
import {
  artifactStores,
  chatProviders,
  createAllowList,
  createImages,
  createInstrumentCall,
  createLiquid,
  createOutbound,
  createPdfs,
  createSandboxReports,
  emailProviders,
  instrumentOutbound,
  isAllowed,
  paymentsProviders,
  smsProviders,
  summarizers,
  teamChatProviders,
} from '@jobline/providers';
import { createSecretCipher, type Logger, type Metrics } from '@jobline/runtime';
import { type Config, chosenChromium } from './config.js';

/** The ports through which the handlers of one process reach outside services. The process is the worker, or a separate
 * process for one job. */
interface OpenPorts {
  ports: Ports;
  /** Used to follow payments to their end. */
  paymentsProvider: PaymentsProvider;
  /** If it is null, artifacts are stored in Postgres. */
  artifacts: ArtifactStore | null;
  close(): Promise<void>;
}

/** Time limit for rendering one text. A document may have a thousand rows. */
const RENDER_LIMIT_MS = 500;

/** Memory limit for texts and data that wait to be rendered. Jobs above the limit are retried. */
const WAITING_BYTES = 32 * 1024 ** 2;
/** The memory that the largest image needs. */
const IMAGE_BYTES = 512 * 1024 ** 2;

/** Creates the ports. Connections and browsers are opened when they are first used. */
export function openPorts(config: Config, log: Logger, db: Db, metrics: Metrics): OpenPorts {
  const instrument = createInstrumentCall(metrics);
  const names = { servers: config.DNS_SERVERS };
  const sandboxReports = createSandboxReports({ take: createTakeFeedback({ db, log }), log });
  const guarded = createOutbound({ allowHosts: config.OUTBOUND_ALLOW_HOSTS, names, log });
  const outbound = instrumentOutbound(guarded, instrument);
  const paymentsProvider = paymentsProviders.open(config, { log, instrument });
  const pdfs = createPdfs({ ...chosenChromium(config), log });
  const slots = [...config.WORKER_QUEUES.values()].reduce((sum, count) => sum + count, 0);
  // Waiting jobs keep their slots, so all running jobs may wait: an organization that sends in bulk has many at the
  // same time.
  const waiting = { waitingPerOrg: slots, waitingInAll: slots, waitingBytes: WAITING_BYTES };
  const liquid = createLiquid({ renderLimitMs: RENDER_LIMIT_MS, ...waiting });
  const images = createImages({ atOnce: Math.min(config.WORKER_QUEUES.get('cpu') ?? 1, imagesInMemory()) });
  const artifacts = artifactStores.open(config, { log });
  const cipher = createSecretCipher(config.ENCRYPTION_KEY);
  const allowList = createAllowList(config.OUTBOUND_ALLOW_HOSTS);
  return {
    ports: {
      compose: createCompose({ lookups: createJobLookups(db), liquid }),
      eventDeliveries: createEventDeliveries({ db, cipher }),
      images,
      messages: createMessages({
        db,
        chat: chatProviders.open(config, { log, instrument, sandboxReports }),
        email: emailProviders.open(config, { log, instrument, sandboxReports }),
        sms: smsProviders.open(config, { log, instrument, sandboxReports }),
        readEmailTexts: liquid.readEmailTexts,
      }),
      outbound,
      payments: createPayments({ db, provider: paymentsProvider }),
      pdfs,
      secrets: {
        open: (orgId, names) => readBeforeEffect(() => openSecrets(db, orgId, names, cipher)),
        mayTravelPlain: (url) => isAllowed(allowList, new URL(url)),
      },
      summarizer: summarizers.open(config, { log, instrument }),
      teamChat: teamChatProviders.open(config, { log, instrument }),
      templates: {
        ...liquid,
        async find(orgId, name) {
          const template = await readBeforeEffect(() => findTemplateByName(db, orgId, 'pdf', name));
          return template?.body ?? null;
        },
      },
      webhookSecrets: { active: (orgId) => readBeforeEffect(() => activeWebhookSecrets(db, orgId, cipher)) },
    },
    paymentsProvider,
    artifacts,
    async close() {
      artifacts?.close();
      await sandboxReports.close();
      await outbound.close();
      await pdfs.close();
      await Promise.all([liquid.close(), images.close()]);
    },
  };
}

/** Returns how many images fit into half of the memory, if a container limits it. */
function imagesInMemory(): number {
  const memoryBytes = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  return Math.max(1, Math.floor(memoryBytes / 2 / IMAGE_BYTES));
}
