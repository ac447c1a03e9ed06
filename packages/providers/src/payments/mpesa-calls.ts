import { ProviderFailure } from '@jobline/handlers/errors';
import { elapsedMs } from '@jobline/runtime';
import { type CallProvider, type ProviderAnswer, readJson, statusFailure } from '../call-provider.js';

/**
 * Sends a request with a valid token. The answer may have any status. `secrets`: those of the body. Throws as CallProvider
 * does.
 */
export type CallMpesa = (
  path: string,
  signal: AbortSignal,
  body: object,
  secrets: readonly string[],
) => Promise<ProviderAnswer>;

interface Token {
  text: string;
  isFresh(): boolean;
}

const TOKEN_TIMEOUT_MS = 7_000;
/** A new token is fetched this long before the current one expires. */
const TOKEN_MARGIN_MS = 60_000;
const DEFAULT_TOKEN_LIFE_S = 3_599;
/**
 * A closed idle connection is noticed only after a request was sent on it, and then the answer seems lost. So each
 * request uses a new connection.
 */
const NEW_CONNECTION = { connection: 'close' };

/** Sends requests to Daraja with an access token. The token is cached, and concurrent requests share one fetch. */
export function createCallMpesa(
  call: CallProvider,
  { consumerKey, consumerSecret, secrets }: { consumerKey: string; consumerSecret: string; secrets: readonly string[] },
): CallMpesa {
  const basic = Buffer.from(`${consumerKey}:${consumerSecret}`).toString('base64');
  const ownSecrets = [basic, consumerSecret, consumerKey, ...secrets];
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
    const startedAt = performance.now();
    const answer = await call({
      path: '/oauth/v1/generate?grant_type=client_credentials',
      headers: { ...NEW_CONNECTION, authorization: `Basic ${basic}` },
      timeoutMs: TOKEN_TIMEOUT_MS,
      secrets: ownSecrets,
      signal: new AbortController().signal,
    }).catch(asTransient);
    const { access_token: text, expires_in: lifeS } =
      readJson<{ access_token: unknown; expires_in: unknown }>(answer.text) ?? {};
    if (answer.status !== 200 || typeof text !== 'string') {
      throw statusFailure(answer, 'mpesa, asked for a token,', answer.quote(errorOf(answer)?.message ?? ''));
    }
    const lifeMs = (Number(lifeS) || DEFAULT_TOKEN_LIFE_S) * 1_000;
    return { text, isFresh: () => elapsedMs(startedAt) < lifeMs - TOKEN_MARGIN_MS };
  }

  return async (path, signal, body, bodySecrets) => {
    const send = (text: string): Promise<ProviderAnswer> => {
      const headers = { ...NEW_CONNECTION, authorization: `Bearer ${text}` };
      return call({ path, headers, body, secrets: [text, ...bodySecrets, ...ownSecrets], signal });
    };
    const text = await token();
    const answer = await send(text);
    // The token was rejected, so nothing was done and the request can be repeated.
    return isTokenRefused(answer) ? send(await token(text)) : answer;
  };
}

/** Without a token, no prompt was sent: an unknown outcome is `transient` here. */
function asTransient(error: unknown): never {
  if (error instanceof ProviderFailure && error.kind === 'ambiguous') {
    throw new ProviderFailure('transient', error.message, { cause: error });
  }
  throw error;
}

function isTokenRefused(answer: ProviderAnswer): boolean {
  return /^(400\.003\.|401\.002\.01$|401\.003\.01$|404\.001\.03$)/.test(errorOf(answer)?.code ?? '');
}

/** The error that an answer names, or null. */
export function errorOf({ text }: ProviderAnswer): { code: string; message: string } | null {
  const { errorCode: code, errorMessage: message } =
    readJson<{ errorCode: unknown; errorMessage: unknown }>(text) ?? {};
  return typeof code === 'string' ? { code, message: typeof message === 'string' ? message : '' } : null;
}
