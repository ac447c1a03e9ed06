import { createRequire } from 'node:module';
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { ExpressAdapter } from '@bull-board/express';
import type { ShownQueues } from '@jobline/engine';
import type { Express } from 'express';
import { boardUi } from './board-ui.js';

const NOTE =
  'What waits in Redis or runs now: identifiers only. Payloads, logs and all that has finished are in Postgres: ' +
  'each organization sees its own in the dashboard and at GET /jobs.';

/** BullMQ's board as an Express app, which is to be mounted at this path. */
export function createBoard(path: string, queues: ShownQueues['queues']): Express {
  const server = new OfflineAdapter();
  server.setBasePath(path);
  createBullBoard({
    queues: queues.map((queue) => new BullMQAdapter(queue, { readOnlyMode: true, description: NOTE })),
    serverAdapter: server,
    options: { uiConfig: boardUi, uiBasePath: UI_DIR },
  });
  return server.express();
}

/** The board's page without what it would fetch from another host. */
class OfflineAdapter extends ExpressAdapter {
  express(): Express {
    return this.app.disable('x-powered-by').disable('etag');
  }

  override setEntryRoute({ route, handler }: Parameters<ExpressAdapter['setEntryRoute']>[0]): this {
    this.app.get(route, (_req, res, next) => {
      const { name, params } = handler({ basePath: this.basePath, uiConfig: this.uiConfig });
      res.render(name, params, (error: unknown, html: string) => (error ? next(error) : res.send(withoutFonts(html))));
    });
    return this;
  }
}

const UI_DIR = createRequire(import.meta.url)
  .resolve('@bull-board/ui/package.json')
  .replace(/\/package\.json$/, '');

function withoutFonts(html: string): string {
  return html.replace(/<link [^>]*https?:\/\/[^>]*>/g, '');
}
