import type { Command } from 'commander';
import { Jobline, JoblineError } from '../../index.js';
import type { App } from '../app.js';
import { define } from '../define.js';
import { DEFAULT_PROFILE, deleteProfile, findProfile } from '../profile.js';

export function addLogout(program: Command, app: App): void {
  define(program, 'logout', 'end the session and delete the profile', 'jobline logout').action(() => logout(app));
}

async function logout(app: App): Promise<void> {
  const name = app.options().profile ?? DEFAULT_PROFILE;
  const profile = findProfile(app.io.env, name);
  // The session first: it could not be ended without the profile.
  if (profile?.token !== undefined) await endSession(profile.url, profile.token);
  deleteProfile(app.io.env, name);
  app.out.show({ profile: name, deleted: profile !== null }, () =>
    profile ? `Deleted the profile ${name}.` : `There is no profile ${name}.`,
  );
}

async function endSession(url: string, token: string): Promise<void> {
  try {
    await new Jobline({ url, token }).auth.logout();
  } catch (error) {
    // The session has ended before.
    if (!(error instanceof JoblineError && error.code === 'unauthenticated')) throw error;
  }
}
