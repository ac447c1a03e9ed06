import { createRequire } from 'node:module';
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { ExpressAdapter } from '@bull-board/express';
import type { ShownQueues } from '@jobline/engine';
import type { Express } from 'express';

type Queue = Awaited<ReturnType<ShownQueues['queues']>>[number];
type UiConfig = NonNullable<NonNullable<Parameters<typeof createBullBoard>[0]['options']>['uiConfig']>;

const FONT = 'system-ui, sans-serif';

/** The texts and colors of the board. */
const boardUi: UiConfig = {
  boardTitle: 'Jobline queues',
  environment: { label: 'Read-only: jobs are stored in Postgres', color: '#fef6e7', textColor: '#7a4b0b' },
  miscLinks: [
    { text: 'Finished jobs: the dashboard', url: '/' },
    { text: 'API reference', url: '/docs' },
  ],
  hideDocsLink: true,
  locale: { lng: 'en-US' },
  theme: {
    light: { primary: '#334fb8', 'primary-foreground': '#ffffff', 'font-sans': FONT },
    dark: { primary: '#9cabfa', 'primary-foreground': '#0a0f1c', 'font-sans': FONT },
  },
};

const NOTE =
  'Jobs that wait in Redis or are running, by their ids only. Payloads, logs and finished jobs are in Postgres: ' +
  'each organization sees its own jobs in the dashboard and at GET /jobs.';

/** BullMQ's board as an Express app, and what gives it the queues to show. Mount it at this path. */
export function createBoard(path: string): { app: Express; show(queues: readonly Queue[]): void } {
  const server = new OfflineAdapter();
  server.setBasePath(path);
  const { addQueue } = createBullBoard({
    queues: [],
    serverAdapter: server,
    options: { uiConfig: boardUi, uiBasePath: UI_DIR },
  });
  const shown = new Set<Queue>();
  return {
    app: server.express(),
    show(queues) {
      for (const queue of queues) {
        if (!shown.has(queue)) addQueue(new BullMQAdapter(queue, { readOnlyMode: true, description: NOTE }));
        shown.add(queue);
      }
    },
  };
}

/** Serves the board's page without its links to other hosts. */
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
