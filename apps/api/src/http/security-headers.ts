import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { RequestHandler } from 'express';
import helmet, { type HelmetOptions } from 'helmet';

const YEAR_S = 31_536_000;

/**
 * Sets the security headers of every response, including errors: browsers must treat it as data for the caller only and must
 * not store it. Pages and files replace some of these headers. `isHttps`: whether callers use HTTPS.
 */
export function securityHeaders({ isHttps }: { isHttps: boolean }): RequestHandler {
  // The headers are the same for every request.
  const headers = headersOf({
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
  headers.set('Cache-Control', 'no-store');
  return (_req, res, next) => {
    res.setHeaders(headers);
    next();
  };
}

function headersOf(options: HelmetOptions): Map<string, string> {
  const headers = new Map<string, string>();
  const req = new IncomingMessage(new Socket());
  const res = new ServerResponse(req);
  res.setHeader = (name, value) => {
    headers.set(name, String(value));
    return res;
  };
  helmet(options)(req, res, () => undefined);
  return headers;
}
