import type { RequestHandler } from 'express';
import helmet from 'helmet';

const YEAR_S = 31_536_000;

/**
 * What browsers are told of every answer, refusals included: it is data, to be read by whoever asked and kept by nobody. Pages
 * and files, which are more than that, replace what they need to. `isHttps`: whether callers reach the service so.
 */
export function securityHeaders({ isHttps }: { isHttps: boolean }): RequestHandler {
  const setHeaders = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    crossOriginResourcePolicy: { policy: 'same-origin' },
    crossOriginOpenerPolicy: { policy: 'same-origin' },
    referrerPolicy: { policy: 'no-referrer' },
    // Of this host only: what else its owner has under that name is not ours to decide.
    strictTransportSecurity: isHttps && { maxAge: YEAR_S, includeSubDomains: false },
    xFrameOptions: { action: 'deny' },
    // For browsers and programs of long ago.
    originAgentCluster: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
    xPoweredBy: false,
  });
  return (req, res, next) => {
    res.setHeader('Cache-Control', 'no-store');
    setHeaders(req, res, next);
  };
}
