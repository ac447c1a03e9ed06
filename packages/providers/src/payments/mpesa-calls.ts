import { ProviderFailure } from '@jobline/handlers/errors';
import { elapsedMs } from '@jobline/runtime';
import { below, type CallProvider, type ProviderAnswer, statusFailure, withoutSecrets } from '../http/call-provider.js';
import { readJson } from '../http/read-json.js';
import { errorOf } from './mpesa-answers.js';

export interface MpesaCalls {
  /** An answer of any status, to a request under a token that the provider takes. Throws as CallProvider does. */
  post(path: string, timeoutMs: number, signal: AbortSignal, body: object): Promise<ProviderAnswer>;
}

interface Token {
  text: string;
  isFresh(): boolean;
}

const TOKEN_TIMEOUT_MS = 7_000;
/** Fetched anew so long before its end. */
const TOKEN_MARGIN_MS = 60_000;
const DEFAULT_TOKEN_LIFE_S = 3_599;
/** A connection that has been idle may turn out to be closed only when a request is on it: its answer would seem lost. */
const OWN_CONNECTION = { connection: 'close' };

/** Daraja's way in: requests under a token, which is fetched once for all who need it at the same time, and kept. */
export function createMpesaCalls(
  call: CallProvider,
  {
    base,
    consumerKey,
    consumerSecret,
    secrets,
  }: { base: string; consumerKey: string; consumerSecret: string; secrets: readonly string[] },
): MpesaCalls {
  let current: Token | null = null;
  let fetching: Promise<Token> | null = null;

  async function token(refused?: string): Promise<string> {
    if (current?.isFresh() && current.text !== refused) return current.text;
    fetching ??= fetchToken().finally(() => {
      fetching = null;
    });
    current = await fetching;
    return current.text;
  }

  async function fetchToken(): Promise<Token> {
    const basic = Buffer.from(`${consumerKey}:${consumerSecret}`).toString('base64');
    const startedAt = performance.now();
    const answer = await call({
      url: below(base, '/oauth/v1/generate?grant_type=client_credentials'),
      method: 'GET',
      headers: { ...OWN_CONNECTION, authorization: `Basic ${basic}` },
      timeoutMs: TOKEN_TIMEOUT_MS,
      signal: new AbortController().signal,
    }).catch(nothingAsked);
    const { access_token: text, expires_in: lifeS } =
      readJson<{ access_token: unknown; expires_in: unknown }>(answer.text) ?? {};
    if (answer.status !== 200 || typeof text !== 'string') {
      throw statusFailure(answer, 'mpesa, asked for a token,', errorOf(answer)?.message ?? '');
    }
    const lifeMs = (Number(lifeS) || DEFAULT_TOKEN_LIFE_S) * 1_000;
    return { text, isFresh: () => elapsedMs(startedAt) < lifeMs - TOKEN_MARGIN_MS };
  }

  async function postUnder(text: string, path: string, timeoutMs: number, signal: AbortSignal, body: object) {
    const answer = await call({
      url: below(base, path),
      method: 'POST',
      headers: { ...OWN_CONNECTION, authorization: `Bearer ${text}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      timeoutMs,
      signal,
    });
    // Its words are shown to tenants, and it may quote what it was sent.
    return { ...answer, text: withoutSecrets(answer.text, [text, ...secrets]) };
  }

  return {
    async post(path, timeoutMs, signal, body) {
      const text = await token();
      const answer = await postUnder(text, path, timeoutMs, signal, body);
      // Refused at the door: nothing was done, so it may be asked for again.
      return isTokenRefused(answer) ? postUnder(await token(text), path, timeoutMs, signal, body) : answer;
    },
  };
}

/** A token that was not got has asked nobody for money. */
function nothingAsked(error: unknown): never {
  if (error instanceof ProviderFailure && error.kind === 'ambiguous') {
    throw new ProviderFailure('transient', error.message, { cause: error });
  }
  throw error;
}

function isTokenRefused(answer: ProviderAnswer): boolean {
  return /^(400\.003\.|401\.002\.01$|401\.003\.01$|404\.001\.03$)/.test(errorOf(answer)?.code ?? '');
}
