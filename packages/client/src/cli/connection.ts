import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { JoblineError } from '../jobline-error.js';
import { UsageError } from './exit-codes.js';

/** Where the API is, and the credential for it. */
export type Connection = Pick<Profile, 'url' | 'key' | 'token' | 'expires_at'> & {
  /** The name of the profile; null: it comes from the environment. */
  profile: string | null;
};

/**
 * The profile that `--profile` names, otherwise JOBLINE_URL and JOBLINE_API_KEY, otherwise the default profile. The
 * credential of a profile is sent only to the address of that profile.
 */
export function findConnection(env: NodeJS.ProcessEnv, profileName: string | undefined): Connection {
  const { JOBLINE_URL: url, JOBLINE_API_KEY: key } = env;
  if (profileName === undefined && key) {
    if (!url) throw new UsageError('JOBLINE_API_KEY is set, and JOBLINE_URL is not. Set it to the address of the API.');
    return { url, key, profile: null };
  }
  const name = profileName ?? DEFAULT_PROFILE;
  const profile = findProfile(env, name);
  if (!profile) throw new UsageError(missing(profileName));
  if (profileName === undefined && url && withSlash(url) !== withSlash(profile.url))
    throw new UsageError(
      `JOBLINE_URL is ${url}, and you are logged in at ${profile.url}. Unset JOBLINE_URL, or use \`jobline login\` again.`,
    );
  return { ...profile, profile: name };
}

function missing(profileName: string | undefined): string {
  return profileName === undefined
    ? 'You are not logged in. Use `jobline login`, or set JOBLINE_URL and JOBLINE_API_KEY.'
    : `There is no profile ${profileName}. Create it with \`jobline login --profile ${profileName}\`.`;
}

function withSlash(url: string): string {
  return url.endsWith('/') ? url : `${url}/`;
}

/** Throws what the API would answer if the session has ended. */
export function checkExpiry({ expires_at }: Connection): void {
  if (expires_at === undefined || Date.parse(expires_at) > Date.now()) return;
  throw new JoblineError({ code: 'unauthenticated', status: 401, message: 'The session has ended.' });
}

/** What `jobline login` stores. It has either a key, or the token of a session with the time at which it ends. */
export interface Profile {
  url: string;
  key?: string;
  token?: string;
  expires_at?: string;
  email?: string;
}

export const DEFAULT_PROFILE = 'default';

const NAME = /^\w[\w.-]{0,63}$/;
const OTHERS = 0o077;

/** Null if there is none. */
export function findProfile(env: NodeJS.ProcessEnv, name: string): Profile | null {
  const file = profileFile(env, name);
  const mode = statSync(file, { throwIfNoEntry: false })?.mode;
  if (mode === undefined) return null;
  if (process.platform !== 'win32' && (mode & OTHERS) !== 0)
    throw new UsageError(`Other users may read ${file}. Use \`jobline login\` again, or \`chmod 600\`.`);
  const profile = parse(readFileSync(file, 'utf8'));
  if (!profile) throw new UsageError(`${file} is damaged. Use \`jobline login\` again.`);
  return profile;
}

/** Stores a profile in a file that only its owner may read. Returns the path. */
export function saveProfile(env: NodeJS.ProcessEnv, name: string, profile: Profile): string {
  const file = profileFile(env, name);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // A new file has this mode from its first byte; an existing one would keep its own.
  const draft = `${file}.${process.pid}`;
  rmSync(draft, { force: true });
  writeFileSync(draft, `${JSON.stringify(profile, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  renameSync(draft, file);
  return file;
}

export function deleteProfile(env: NodeJS.ProcessEnv, name: string): void {
  rmSync(profileFile(env, name), { force: true });
}

function profileFile(env: NodeJS.ProcessEnv, name: string): string {
  if (!NAME.test(name)) throw new UsageError('A profile name has 1 to 64 letters, digits and any of ". _ -".');
  const folder = env.XDG_CONFIG_HOME || join(homedir(), '.config');
  return join(folder, 'jobline', `${name}.json`);
}

function parse(text: string): Profile | null {
  try {
    const { url, key, token, expires_at, email }: Record<string, unknown> = JSON.parse(text);
    const isText = (value: unknown) => value === undefined || typeof value === 'string';
    if (typeof url !== 'string' || ![key, token, expires_at, email].every(isText)) return null;
    return JSON.parse(text);
  } catch {
    return null; // the caller says what to do
  }
}
