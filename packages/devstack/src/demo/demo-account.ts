import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { Jobline, JoblineError } from '@jobline/client';

/** What is kept in a file for the next start. */
interface SavedAccount {
  email: string;
  password: string;
  apiKey: string;
}

export interface DemoAccount extends SavedAccount {
  /** Uses the API key. */
  client: Jobline;
  /** Uses the session of this start, for requests that need a user. */
  session: Jobline;
}

/**
 * The login and the API key of the demo organization: those of the previous start if they still work, otherwise new
 * ones. Null if registration is closed.
 */
export async function ensureDemoAccount(url: string, file: string): Promise<DemoAccount | null> {
  const saved = readAccount(file);
  const account = (saved && (await logIn(url, saved))) ?? (await register(url));
  if (!account) return null;
  const { token, ...lasting } = account;
  const session = new Jobline({ url, token });
  if (!lasting.apiKey || !(await isAccepted(url, lasting.apiKey))) {
    const { key } = await session.keys.create({ name: 'demo', scopes: ['jobs:read', 'jobs:write', 'messages:read'] });
    lasting.apiKey = key;
    writeFileSync(file, JSON.stringify(lasting), { mode: 0o600 });
  }
  return { ...lasting, client: new Jobline({ url, key: lasting.apiKey }), session };
}

type Account = SavedAccount & { token: string };

async function logIn(url: string, saved: SavedAccount): Promise<Account | null> {
  const { email, password } = saved;
  const session = await new Jobline({ url }).auth.login({ email, password }).catch(nullAfter(401));
  return session && { ...saved, token: session.token };
}

async function register(url: string): Promise<Account | null> {
  const email = `demo-${randomBytes(3).toString('hex')}@example.com`;
  const password = randomBytes(12).toString('base64url');
  const body = { org_name: 'Demo', email, password };
  const registration = await new Jobline({ url }).call('register', { body }).catch(nullAfter(403));
  return registration && { email, password, apiKey: '', token: registration.token };
}

async function isAccepted(url: string, key: string): Promise<boolean> {
  return (await new Jobline({ url, key }).jobs.list({ limit: 1 }).catch(nullAfter(401))) !== null;
}

/** Returns the handler of a failed call: null after this status, otherwise the same error. */
export function nullAfter(status: number): (error: unknown) => null {
  return (error) => {
    if (error instanceof JoblineError && error.status === status) return null;
    throw error;
  };
}

function readAccount(file: string): SavedAccount | null {
  if (!existsSync(file)) return null;
  const { email, password, apiKey }: Partial<SavedAccount> = JSON.parse(readFileSync(file, 'utf8')); // checked here
  return email && password && apiKey ? { email, password, apiKey } : null;
}
