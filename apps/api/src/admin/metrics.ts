import type { Metrics } from '@jobline/runtime';
import type { Express, Request, Response } from 'express';
import type { OperatorAuth } from '../auth/operator-auth.js';
import { requireReadMethod } from '../http/errors.js';

/** Adds the Prometheus metrics of the process, for operators. They do not exist while no operator is configured. */
export function mountMetrics(app: Express, operatorAuth: OperatorAuth, metrics: Metrics): void {
  if (!operatorAuth.isConfigured) return;
  app.route('/metrics').all(async (req: Request, res: Response) => {
    requireReadMethod(req);
    operatorAuth.verify(req.headers, req.ip);
    const text = await metrics.text();
    res.setHeader('Content-Type', metrics.contentType);
    res.setHeader('Cache-Control', 'no-store');
    res.end(text);
  });
}
