import { ProviderFailure, type ProviderFailureKind } from '@jobline/handlers/errors';
import type { TeamChat } from '@jobline/handlers/ports';
import Joi from 'joi';
import { answerFailure, createCallProvider, type ProviderAnswer, readJson, statusFailure } from '../call-provider.js';
import { baseUrlSetting, defineProvider, secretSetting, timeoutSetting } from '../define-provider.js';

interface Settings {
  /** The token of a bot with the scope chat:write. */
  TEAM_CHAT_API_KEY: string;
  TEAM_CHAT_BASE_URL: string;
  TEAM_CHAT_TIMEOUT_MS: number;
}

/** Slack's Web API. It does not detect repeated requests, so a message may be posted twice if an answer is lost. */
export const slack = defineProvider<Settings, TeamChat>({
  name: 'slack',
  settings: Joi.object({
    TEAM_CHAT_API_KEY: secretSetting.required(),
    TEAM_CHAT_BASE_URL: baseUrlSetting.default('https://slack.com'),
    TEAM_CHAT_TIMEOUT_MS: timeoutSetting,
  }),
  create({ TEAM_CHAT_API_KEY: token, TEAM_CHAT_BASE_URL: base, TEAM_CHAT_TIMEOUT_MS: timeoutMs }, { log }) {
    const call = createCallProvider({ who: 'slack', log, base, timeoutMs });
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json; charset=utf-8' };
    return {
      provider: 'slack',
      async post({ channel, text }, signal) {
        const body = { channel, text: escaped(text) };
        return readPosted(await call({ path: '/api/chat.postMessage', headers, body, signal }));
      },
    };
  },
});

/** Escapes markup. Otherwise a tenant's text could mention everyone in the channel with `<!channel>`. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

interface Answer {
  ok: unknown;
  error: unknown;
  channel: unknown;
  ts: unknown;
}

/** The id of a message is its channel and its timestamp. Rejections have the status 200, too. */
function readPosted(answer: ProviderAnswer): { providerMessageId: string } {
  if (answer.status !== 200) throw statusFailure(answer, 'slack', errorOf(answer) ?? '');
  const { ok, channel, ts } = readJson<Answer>(answer.text) ?? {};
  if (ok === true && typeof channel === 'string' && typeof ts === 'string')
    return { providerMessageId: `${channel}:${ts}` };
  const error = errorOf(answer);
  if (ok !== false || error === null) throw new ProviderFailure('ambiguous', 'slack answered without a message id');
  const kind = KINDS.get(error) ?? 'rejected';
  throw answerFailure(kind, `slack rejected the message: ${error}`, answer);
}

function errorOf({ text }: ProviderAnswer): string | null {
  const error = readJson<Answer>(text)?.error;
  return typeof error === 'string' ? error : null;
}

/**
 * The error codes that are not final rejections. For the internal ones, Slack documents that the message may have been
 * posted.
 */
const KINDS: ReadonlyMap<string, ProviderFailureKind> = new Map([
  ['ratelimited', 'throttled'],
  ['rate_limited', 'throttled'],
  ['service_unavailable', 'transient'],
  ['request_timeout', 'transient'],
  ['internal_error', 'ambiguous'],
  ['fatal_error', 'ambiguous'],
]);
