import { AppError } from '@jobline/contracts';
import type { ShownQueues } from '@jobline/engine';
import type { Express, NextFunction, Request, Response } from 'express';
import type { Operators } from '../auth/operator-auth.js';
import { refuseWriting } from '../http/http-errors.js';

export const BOARD_PATH = '/admin/queues';

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
  let board: Promise<Express> | undefined;

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
  app.use(BOARD_PATH, async (req: Request, res: Response, next: NextFunction) => {
    // Loaded for the first request: few processes ever show the board.
    board ??= import('./bull-board.js').then(({ createBoard }) => createBoard(BOARD_PATH, shown.queues));
    (await board)(req, res, next);
  });
}
