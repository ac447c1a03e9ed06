import { createRequire } from 'node:module';
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { ExpressAdapter } from '@bull-board/express';
import { AppError } from '@jobline/contracts';
import type { ShownQueues } from '@jobline/engine';
import type { Express, NextFunction, Request, Response } from 'express';
import type { Operators } from '../auth/operator.js';
import { refuseWriting } from '../http/refusals.js';
import { boardUi } from './board-ui.js';

export const BOARD_PATH = '/admin/queues';

const NOTE =
  'What waits in Redis or runs now: identifiers only. Payloads, logs and all that has finished are in Postgres: ' +
  'each organization sees its own in the dashboard and at GET /jobs.';

/**
 * No other host, no inline script, no frame. Styles are written by the board's own dialogs and editors.
 */
const HEADERS = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "worker-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
};

const CONDITIONS = ['range', 'if-match', 'if-unmodified-since'];

/**
 * BullMQ's board, for operators and for looking only: its actions would change Redis behind the back of Postgres, so no
 * method but GET comes through to it. Not there at all while no operator is named.
 */
export function mountBoard(app: Express, operators: Operators, shown: ShownQueues | undefined): void {
  if (!operators.areNamed || !shown) return;
  const board = createBoard(shown.queues);

  app.use('/admin', (req: Request, res: Response, next: NextFunction) => {
    refuseWriting(req, 'What is shown here can only be looked at.');
    operators.admit(req.headers, req.ip);
    res.setHeaders(new Map(Object.entries(HEADERS)));
    // Its files are sent whole: what they cannot be sent as would be an error of ours.
    for (const name of CONDITIONS) delete req.headers[name];
    next();
  });
  app.use(`${BOARD_PATH}/api`, async (_req: Request, _res: Response, next: NextFunction) => {
    if (await shown.isAnswering()) return next();
    throw new AppError('unavailable', 'Redis does not answer, and only what it holds is shown here.');
  });
  app.use(BOARD_PATH, board);
}

function createBoard(queues: ShownQueues['queues']): Express {
  const server = new OfflineAdapter();
  server.setBasePath(BOARD_PATH);
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
