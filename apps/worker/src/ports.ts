import { activeWebhookSecrets, type Db, findTemplateByName } from '@jobline/db';
import type { ArtifactStore, PaymentsProvider, Ports } from '@jobline/handlers';
import { createCompose, createLookups, createMessages, createPayments } from '@jobline/messaging';
import {
  artifactStores,
  chatProviders,
  createImages,
  createInstrumentCall,
  createLiquid,
  createOutbound,
  createPdfs,
  emailProviders,
  instrumentOutbound,
  paymentsProviders,
  smsProviders,
  summarizers,
  teamChatProviders,
} from '@jobline/providers';
import { createSecretCipher, type Logger, type Metrics, type Tracing } from '@jobline/runtime';
import { type Config, chosenChromium } from './config.js';

/** What handlers need from outside, for one process: the worker's own, or one that runs a single job. */
export interface OpenPorts {
  ports: Ports;
  /** For whoever follows payments to their end. */
  paymentsProvider: PaymentsProvider;
  /** Null: artifacts are kept in Postgres. */
  artifacts: ArtifactStore | null;
  close(): Promise<void>;
}

/** What operators watch the process by. */
export interface Watched {
  metrics: Metrics;
  tracing: Tracing;
}

/** Of one text; a document may have a thousand rows. */
const RENDER_LIMIT_MS = 500;

/** Of texts and data that wait: the jobs beyond that are retried. */
const WAITING_BYTES = 32 * 1024 ** 2;
/** What the largest image takes. */
const IMAGE_BYTES = 512 * 1024 ** 2;

/** Opens nothing yet: connections and browsers come with their first use. */
export function openPorts(config: Config, log: Logger, db: Db, { metrics, tracing }: Watched): OpenPorts {
  const instrument = createInstrumentCall(metrics, tracing);
  const names = { servers: config.DNS_SERVERS };
  const guarded = createOutbound({ allowHosts: config.OUTBOUND_ALLOW_HOSTS, names, log });
  const outbound = instrumentOutbound(guarded, instrument, tracing);
  const paymentsProvider = paymentsProviders.open(config, { log, instrument });
  const pdfs = createPdfs({ ...chosenChromium(config), log });
  const slots = [...config.WORKER_QUEUES.values()].reduce((sum, count) => sum + count, 0);
  // Jobs that wait hold their slots, so all that run may wait: an organization that sends in bulk has many at once.
  const waiting = { waitingPerOrg: slots, waitingInAll: slots, waitingBytes: WAITING_BYTES };
  const liquid = createLiquid({ renderLimitMs: RENDER_LIMIT_MS, ...waiting });
  const images = createImages({ atOnce: Math.min(config.WORKER_QUEUES.get('cpu') ?? 1, imagesInMemory()) });
  const artifacts = artifactStores.open(config, { log });
  const cipher = createSecretCipher(config.ENCRYPTION_KEY);
  return {
    ports: {
      chat: chatProviders.open(config, { log, instrument }),
      compose: createCompose({ lookups: createLookups(db), liquid }),
      images,
      messages: createMessages({
        db,
        email: emailProviders.open(config, { log, instrument }),
        sms: smsProviders.open(config, { log, instrument }),
      }),
      outbound,
      payments: createPayments({ db, provider: paymentsProvider }),
      pdfs,
      summarizer: summarizers.open(config, { log, instrument }),
      teamChat: teamChatProviders.open(config, { log, instrument }),
      templates: {
        ...liquid,
        find: async (orgId, name) => (await findTemplateByName(db, orgId, 'pdf', name))?.body ?? null,
      },
      webhookSecrets: { active: (orgId) => activeWebhookSecrets(db, orgId, cipher) },
    },
    paymentsProvider,
    artifacts,
    async close() {
      artifacts?.close();
      await outbound.close();
      await pdfs.close();
      await Promise.all([liquid.close(), images.close()]);
    },
  };
}

/** How many images half of the memory is enough for, where a container limits it. */
function imagesInMemory(): number {
  const memoryBytes = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  return Math.max(1, Math.floor(memoryBytes / 2 / IMAGE_BYTES));
}
