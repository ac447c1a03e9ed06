import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type ApiClient, textOf } from './api-client.js';

export interface DemoAccount {
  email: string;
  password: string;
  apiKey: string;
}

/**
 * The demo organization's login and key: those of the last start if the database still knows them, else new ones.
 * Null if registration is closed.
 */
export async function ensureDemoAccount(api: ApiClient, file: string): Promise<DemoAccount | null> {
  const known = readAccount(file);
  if (known?.apiKey && (await api.get('/jobs?limit=1', { apiKey: known.apiKey })).status === 200) return known;
  const account = (known && (await logIn(api, known))) ?? (await register(api));
  if (!account) return null;
  writeAccount(file, { ...account, apiKey: '' }); // a start that ends here finds the login again
  const answer = await api.post('/org/api-keys', { name: 'demo' }, { token: account.token });
  const { token: _, ...login } = account;
  const complete = { ...login, apiKey: textOf(answer, 201, 'key') };
  writeAccount(file, complete);
  return complete;
}

type LoggedIn = Omit<DemoAccount, 'apiKey'> & { token: string };

async function logIn(api: ApiClient, { email, password }: DemoAccount): Promise<LoggedIn | null> {
  const answer = await api.post('/auth/login', { email, password });
  return answer.status === 200 ? { email, password, token: textOf(answer, 200, 'token') } : null;
}

async function register(api: ApiClient): Promise<LoggedIn | null> {
  const email = `demo-${randomBytes(3).toString('hex')}@example.com`;
  const password = randomBytes(12).toString('base64url');
  const answer = await api.post('/auth/register', { org_name: 'Demo', email, password });
  return answer.status === 403 ? null : { email, password, token: textOf(answer, 201, 'token') };
}

function readAccount(file: string): DemoAccount | null {
  if (!existsSync(file)) return null;
  const { email, password, apiKey }: Partial<DemoAccount> = JSON.parse(readFileSync(file, 'utf8')); // looked at here
  return email && password ? { email, password, apiKey: apiKey ?? '' } : null;
}

function writeAccount(file: string, { email, password, apiKey }: DemoAccount): void {
  writeFileSync(file, `${JSON.stringify({ email, password, apiKey }, null, 2)}\n`, { mode: 0o600 });
}
