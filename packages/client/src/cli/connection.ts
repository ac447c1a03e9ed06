import { JoblineError } from '../jobline-error.js';
import { UsageError } from './exit-codes.js';
import { DEFAULT_PROFILE, findProfile, type Profile } from './profile.js';

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
