import type { Metrics } from '@jobline/runtime';
import type { Express, Request, Response } from 'express';
import type { Operators } from '../auth/operator-auth.js';
import { refuseWriting } from '../http/http-errors.js';

/** The process's figures, for operators. Not there at all while none is named. */
export function mountMetrics(app: Express, operators: Operators, metrics: Metrics | undefined): void {
  if (!operators.areNamed || !metrics) return;
  app.all('/metrics', async (req: Request, res: Response) => {
    refuseWriting(req);
    operators.admit(req.headers, req.ip);
    const text = await metrics.text();
    res.setHeader('Content-Type', metrics.contentType);
    res.setHeader('Cache-Control', 'no-store');
    res.end(text);
  });
}
