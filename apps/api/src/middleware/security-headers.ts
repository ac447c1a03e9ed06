import type { RequestHandler } from 'express';
import helmet from 'helmet';

const YEAR_S = 31_536_000;

/**
 * Sets the security headers of every response, including errors: browsers must treat it as data for the caller only and must
 * not store it. Pages and files replace some of these headers. `isHttps`: whether callers use HTTPS.
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
    // For this host only: the owner decides about its subdomains.
    strictTransportSecurity: isHttps && { maxAge: YEAR_S, includeSubDomains: false },
    xFrameOptions: { action: 'deny' },
    // Only outdated browsers and programs use these headers.
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
