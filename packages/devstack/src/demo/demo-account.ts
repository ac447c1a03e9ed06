import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type ApiClient, textOf, withKey, withToken } from './api-client.js';

/** What is kept in a file for the next start. */
interface SavedAccount {
  email: string;
  password: string;
  apiKey: string;
}

export interface DemoAccount extends SavedAccount {
  /** The session of this start, for requests that need a user. */
  token: string;
}

/**
 * The login and the API key of the demo organization: those of the previous start if they still work, otherwise new
 * ones. Null if registration is closed.
 */
export async function ensureDemoAccount(api: ApiClient, file: string): Promise<DemoAccount | null> {
  const saved = readAccount(file);
  const account = (saved && (await logIn(api, saved))) ?? (await register(api));
  if (!account) return null;
  if (account.apiKey && (await api.get('/jobs?limit=1', withKey(account.apiKey))).status === 200) return account;
  const answer = await api.post('/org/api-keys', { name: 'demo' }, withToken(account.token));
  const { token, ...lasting } = { ...account, apiKey: textOf(answer, 201, 'key') };
  writeFileSync(file, JSON.stringify(lasting), { mode: 0o600 });
  return { ...lasting, token };
}

async function logIn(api: ApiClient, saved: SavedAccount): Promise<DemoAccount | null> {
  const answer = await api.post('/auth/login', { email: saved.email, password: saved.password });
  return answer.status === 200 ? { ...saved, token: textOf(answer, 200, 'token') } : null;
}

async function register(api: ApiClient): Promise<DemoAccount | null> {
  const email = `demo-${randomBytes(3).toString('hex')}@example.com`;
  const password = randomBytes(12).toString('base64url');
  const answer = await api.post('/auth/register', { org_name: 'Demo', email, password });
  return answer.status === 403 ? null : { email, password, apiKey: '', token: textOf(answer, 201, 'token') };
}

function readAccount(file: string): SavedAccount | null {
  if (!existsSync(file)) return null;
  const { email, password, apiKey }: Partial<SavedAccount> = JSON.parse(readFileSync(file, 'utf8')); // checked here
  return email && password && apiKey ? { email, password, apiKey } : null;
}
