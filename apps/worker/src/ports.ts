import { activeWebhookSecrets, type Db } from '@jobline/db';
import type { Ports } from '@jobline/handlers';
import { createImages, createLiquid, createOutbound, createPdfs, createSummarizer } from '@jobline/providers';
import type { Logger } from '@jobline/runtime';
import type { Config } from './config.js';

/** What handlers need from outside, for one process: the worker's own, or one that runs a single job. */
export interface OpenPorts {
  ports: Ports;
  close(): Promise<void>;
}

/** Opens nothing yet: connections and browsers come with their first use. */
export function openPorts(config: Config, log: Logger, db: Db): OpenPorts {
  const outbound = createOutbound({ allowHosts: config.OUTBOUND_ALLOW_HOSTS, log });
  const pdfs = createPdfs({ executablePath: config.PUPPETEER_EXECUTABLE_PATH, log });
  return {
    ports: {
      images: createImages(),
      outbound,
      pdfs,
      summarizer: createSummarizer(config.AI_PROVIDER),
      // Nobody can store a template yet.
      templates: { ...createLiquid(), find: async () => null },
      webhookSecrets: { active: (orgId) => activeWebhookSecrets(db, orgId) },
    },
    async close() {
      await outbound.close();
      await pdfs.close();
    },
  };
}
