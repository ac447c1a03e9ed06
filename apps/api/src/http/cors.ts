import type { RequestHandler } from 'express';
import { HEADERS } from './response-specs.js';

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const REQUEST_HEADERS = 'Authorization, Content-Type, Idempotency-Key, Last-Event-ID, X-API-Key, X-Request-Id';
/** Scripts may read every header of the API. */
const ANSWER_HEADERS = Object.keys(HEADERS).join(', ');
const PREFLIGHT_MAX_AGE_S = 600;

/**
 * Allows scripts of these origins only to read responses of the API. They must send a token themselves: there are no
 * cookies, so a browser adds no credentials, and a request from another origin gains nothing.
 */
export function cors(origins: readonly string[]): RequestHandler {
  const allowed = new Set(origins);
  return (req, res, next) => {
    if (allowed.size === 0) return next();
    res.vary('Origin');
    const { origin } = req.headers;
    if (origin === undefined || !allowed.has(origin)) return next();
    res.setHeader('Access-Control-Allow-Origin', origin);
    res.setHeader('Access-Control-Expose-Headers', ANSWER_HEADERS);
    if (req.method !== 'OPTIONS' || req.headers['access-control-request-method'] === undefined) return next();
    res.setHeader('Access-Control-Allow-Methods', METHODS);
    res.setHeader('Access-Control-Allow-Headers', REQUEST_HEADERS);
    res.setHeader('Access-Control-Max-Age', PREFLIGHT_MAX_AGE_S);
    res.statusCode = 204;
    res.end();
  };
}
