import { AppError } from '@jobline/contracts';
import type { ShownQueues } from '@jobline/engine';
import type { Express, NextFunction, Request, Response } from 'express';
import type { OperatorAuth } from '../auth/operator-auth.js';
import { requireReadMethod } from '../http/errors.js';
import type { createBoard } from './bull-board.js';

type Board = ReturnType<typeof createBoard>;

const BOARD_PATH = '/admin/queues';

/** Allows no other host, no inline script and no frame. Inline styles are allowed, because the board's dialogs use them. */
const CONTENT_POLICY = [
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
].join('; ');

const CONDITIONS = ['range', 'if-match', 'if-unmodified-since'];

/**
 * Adds BullMQ's board for operators, read-only: its actions would change Redis without Postgres, so only GET and HEAD are
 * allowed. The board does not exist while no operator is configured.
 */
export function mountBoard(app: Express, operatorAuth: OperatorAuth, shown: ShownQueues | undefined): void {
  if (!operatorAuth.isConfigured || !shown) return;
  let board: Promise<Board> | undefined;

  app.use('/admin', (req: Request, res: Response, next: NextFunction) => {
    requireReadMethod(req, 'The board is read-only; use GET or HEAD.');
    operatorAuth.verify(req.headers, req.ip);
    res.setHeader('Content-Security-Policy', CONTENT_POLICY);
    // The board's files are always sent completely. A condition that they do not meet would be answered with an error 500.
    for (const name of CONDITIONS) delete req.headers[name];
    next();
  });
  app.use(`${BOARD_PATH}/api`, async (_req: Request, _res: Response, next: NextFunction) => {
    if (await shown.isAnswering()) return next();
    throw new AppError('unavailable', 'Redis does not answer; the board shows only data from Redis.');
  });
  app.use(BOARD_PATH, async (req: Request, res: Response, next: NextFunction) => {
    // Loaded with the first request, because few processes ever show the board.
    board ??= import('./bull-board.js').then(({ createBoard }) => createBoard(BOARD_PATH));
    const { app: boardApp, show } = await board;
    show(await shown.queues());
    boardApp(req, res, next);
  });
}
