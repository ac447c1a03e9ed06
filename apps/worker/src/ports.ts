import { activeWebhookSecrets, type Db, findTemplateByName } from '@jobline/db';
import type { ArtifactStore, PaymentsProvider, Ports } from '@jobline/handlers';
import { createCompose, createMessages, createPayments, lookupsIn } from '@jobline/messaging';
import {
  artifactStores,
  chatProviders,
  createImages,
  createLiquid,
  createOutbound,
  createPdfs,
  createWatchCall,
  emailProviders,
  paymentsProviders,
  smsProviders,
  summarizers,
  teamChatProviders,
  watchOutbound,
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

/** Opens nothing yet: connections and browsers come with their first use. */
export function openPorts(config: Config, log: Logger, db: Db, { metrics, tracing }: Watched): OpenPorts {
  const watch = createWatchCall(metrics, tracing);
  const outbound = watchOutbound(createOutbound({ allowHosts: config.OUTBOUND_ALLOW_HOSTS, log }), watch, tracing);
  const paymentsProvider = paymentsProviders.open(config, { log, watch });
  const pdfs = createPdfs({ ...chosenChromium(config), log });
  const liquid = createLiquid({ renderLimitMs: RENDER_LIMIT_MS });
  const artifacts = artifactStores.open(config, { log });
  const cipher = createSecretCipher(config.ENCRYPTION_KEY);
  return {
    ports: {
      chat: chatProviders.open(config, { log, watch }),
      compose: createCompose({ lookups: lookupsIn(db), liquid }),
      images: createImages(),
      messages: createMessages({
        db,
        email: emailProviders.open(config, { log, watch }),
        sms: smsProviders.open(config, { log, watch }),
      }),
      outbound,
      payments: createPayments({ db, provider: paymentsProvider }),
      pdfs,
      summarizer: summarizers.open(config, { log, watch }),
      teamChat: teamChatProviders.open(config, { log, watch }),
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
      await liquid.close();
    },
  };
}
