import type { Command } from 'commander';
import { Jobline, JoblineError, type JoblineErrorCode } from '../../index.js';
import { type App, define } from '../app.js';
import { DEFAULT_PROFILE, deleteProfile, findProfile, type Profile, saveProfile } from '../connection.js';
import { openQuestions, type Questions } from '../terminal.js';

interface Flags {
  url?: string;
  key?: string;
  email?: string;
  org?: string;
}

const LOCAL = 'http://localhost:3000';

export function addLogin(program: Command, app: App): void {
  define(program, 'login', 'log in and store the session, or an API key, in a profile', 'jobline login')
    .option('--url <url>', `the address of the API (default: JOBLINE_URL, or ${LOCAL})`)
    .option('--email <email>', 'your email address; the password is asked for, or read from the standard input')
    .option('--org <id>', 'the organization, if you are a member of several')
    .option('--key <key>', 'store this API key instead of a session; - asks for it, or reads the standard input')
    .action((flags: Flags) => login(app, flags));
  define(program, 'logout', 'end the session and delete the profile', 'jobline logout').action(() => logout(app));
}

async function login(app: App, flags: Flags): Promise<void> {
  const { env } = app.io;
  const name = app.options().profile ?? DEFAULT_PROFILE;
  const questions = openQuestions(app.io);
  try {
    const url = flags.url ?? env.JOBLINE_URL ?? ((await questions.ask(`URL of the API [${LOCAL}]: `)) || LOCAL);
    const profile =
      flags.key === undefined ? await openSession(url, flags, questions) : await keepKey(url, flags.key, questions);
    const file = saveProfile(env, name, profile);
    const { email, expires_at } = profile;
    app.out.show({ profile: name, url, email, expires_at }, (style) =>
      email === undefined
        ? `Stored the API key for ${url}.`
        : `Logged in at ${url} as ${email}. The session ends ${expires_at ? style.time(expires_at) : 'at logout'}.`,
    );
    app.out.note(`The profile ${name} is in ${file}.`);
    if (env.JOBLINE_API_KEY && !app.options().profile)
      app.out.note('JOBLINE_API_KEY is set and is used instead. Unset it, or add --profile default.');
  } finally {
    questions.close();
  }
}

async function openSession(url: string, { email: given, org }: Flags, questions: Questions): Promise<Profile> {
  const client = new Jobline({ url });
  const email = given ?? (await questions.ask('Email: '));
  const password = await questions.askSecret('Password: ');
  const { token } = await client.auth.login({ email, password, ...(org !== undefined && { org_id: org }) });
  const expires_at = readExpiry(token);
  return { url, email, token, ...(expires_at !== null && { expires_at }) };
}

/** Stores no key that the API does not know. */
async function keepKey(url: string, given: string, questions: Questions): Promise<Profile> {
  const key = given === '-' ? await questions.askSecret('API key: ') : given;
  // A key may lack the scope for this.
  await new Jobline({ url, key }).jobs.list({ limit: 1 }).catch(ignore('forbidden'));
  return { url, key };
}

/** The time at which a token ends, which is one of its claims. */
function readExpiry(token: string): string | null {
  const [, claims = ''] = token.split('.');
  const { exp }: { exp?: unknown } = JSON.parse(Buffer.from(claims, 'base64url').toString());
  return typeof exp === 'number' ? new Date(exp * 1_000).toISOString() : null;
}

async function logout(app: App): Promise<void> {
  const name = app.options().profile ?? DEFAULT_PROFILE;
  const profile = findProfile(app.io.env, name);
  // The session first: it could not be ended without the profile.
  if (profile?.token !== undefined) {
    const { url, token } = profile;
    // It may have ended before.
    await new Jobline({ url, token }).auth.logout().catch(ignore('unauthenticated'));
  }
  deleteProfile(app.io.env, name);
  app.out.show({ profile: name, deleted: profile !== null }, () =>
    profile ? `Deleted the profile ${name}.` : `There is no profile ${name}.`,
  );
}

/** Returns the handler of a failed call for which this error counts as success. */
function ignore(code: JoblineErrorCode): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof JoblineError && error.code === code)) throw error;
  };
}
