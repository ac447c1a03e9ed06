import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type ApiClient, textOf } from './api-client.js';

export interface DemoAccount {
  email: string;
  password: string;
  apiKey: string;
  /** A session of this start, for what takes a person. */
  token: string;
}

/**
 * The demo organization's login and key: those of the last start if the database still knows them, else new ones.
 * Null if registration is closed.
 */
export async function ensureDemoAccount(api: ApiClient, file: string): Promise<DemoAccount | null> {
  const known = readAccount(file);
  const account = (known && (await logIn(api, known))) ?? (await register(api));
  if (!account) return null;
  if (account.apiKey && (await api.get('/jobs?limit=1', { apiKey: account.apiKey })).status === 200) return account;
  writeAccount(file, { ...account, apiKey: '' }); // a start that ends here finds the login again
  const answer = await api.post('/org/api-keys', { name: 'demo' }, { token: account.token });
  const complete = { ...account, apiKey: textOf(answer, 201, 'key') };
  writeAccount(file, complete);
  return complete;
}

/** What is kept from one start to the next; the key is empty if there is none yet. */
type Kept = Omit<DemoAccount, 'token'>;

async function logIn(api: ApiClient, known: Kept): Promise<DemoAccount | null> {
  const { email, password } = known;
  const answer = await api.post('/auth/login', { email, password });
  return answer.status === 200 ? { ...known, token: textOf(answer, 200, 'token') } : null;
}

async function register(api: ApiClient): Promise<DemoAccount | null> {
  const email = `demo-${randomBytes(3).toString('hex')}@example.com`;
  const password = randomBytes(12).toString('base64url');
  const answer = await api.post('/auth/register', { org_name: 'Demo', email, password });
  return answer.status === 403 ? null : { email, password, apiKey: '', token: textOf(answer, 201, 'token') };
}

function readAccount(file: string): Kept | null {
  if (!existsSync(file)) return null;
  const { email, password, apiKey }: Partial<Kept> = JSON.parse(readFileSync(file, 'utf8')); // looked at here
  return email && password ? { email, password, apiKey: apiKey ?? '' } : null;
}

function writeAccount(file: string, { email, password, apiKey }: Kept): void {
  writeFileSync(file, `${JSON.stringify({ email, password, apiKey }, null, 2)}\n`, { mode: 0o600 });
}
