import { describe, expect, test } from 'vitest';
import { createSession, type Session } from './session.js';

/** Simulates the tabs of one browser: each has its own storage, and all share a channel. */
function browser() {
  const name = `jobline-${Math.random()}`;
  const channels: BroadcastChannel[] = [];
  return {
    tab(token?: string) {
      const stored = new Map<string, string>(token === undefined ? [] : [['jobline.token', token]]);
      const storage = {
        getItem: (key: string) => stored.get(key) ?? null,
        setItem: (key: string, value: string) => void stored.set(key, value),
        removeItem: (key: string) => void stored.delete(key),
      };
      const channel = new BroadcastChannel(name);
      channels.push(channel);
      const deleted: string[] = [];
      const session = createSession({ storage, channel, onSignedOut: (one) => deleted.push(one) });
      return { session, stored, deleted };
    },
    close() {
      for (const channel of channels) channel.close();
    },
  };
}

function tokenOf(sub: string, org: string, n = 1): string {
  return `h.${btoa(JSON.stringify({ sub, org, n }))}.s`;
}

function waitFor(session: Session, condition: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (!condition()) return;
      stop();
      resolve();
    };
    const stop = session.subscribe(check);
    check();
  });
}

const ana = tokenOf('ana', 'acme');

describe('a session', () => {
  test('a new tab takes the session of another tab, and has none without other tabs', async () => {
    const { tab, close } = browser();
    const onlyTab = tab();
    await onlyTab.session.ready;
    expect(onlyTab.session.token()).toBeNull();

    const first = tab(ana);
    const second = tab();
    await second.session.ready;
    expect(second.session.token()).toBe(ana);
    expect([...second.stored.values()]).toEqual([ana]);
    expect(first.session.token()).toBe(ana);
    close();
  });

  test('a sign-out ends the session in every tab, and each tab deletes its own token', async () => {
    const { tab, close } = browser();
    const [first, second] = [tab(ana), tab(tokenOf('ana', 'other'))];
    first.session.signOut();
    await waitFor(second.session, () => second.session.token() === null);

    expect(first.deleted).toEqual([ana]);
    expect(second.deleted).toEqual([tokenOf('ana', 'other')]);
    expect(second.stored.size).toBe(0);
    close();
  });

  test('a session is renewed once for all rejected requests, and later requests get the new token', async () => {
    const { tab, close } = browser();
    const { session } = tab(ana);
    const waiting = Promise.all([session.renew(ana), session.renew(ana)]);
    expect(session.isExpired()).toBe(true);
    const next = tokenOf('ana', 'acme', 2);
    session.signIn(next);

    expect(await waiting).toEqual([next, next]);
    expect(session.isExpired()).toBe(false);
    expect(await session.renew(ana)).toBe(next);
    close();
  });

  test('an expired session takes a new token from another tab only for the same user and organization', async () => {
    const { tab, close } = browser();
    const [first, second] = [tab(ana), tab(ana)];
    const renewed = first.session.renew(ana);
    second.session.signIn(tokenOf('bob', 'acme'));
    second.session.signIn(tokenOf('ana', 'other'));
    second.session.signIn(tokenOf('ana', 'acme', 3));

    expect(await renewed).toBe(tokenOf('ana', 'acme', 3));
    close();
  });

  test('a sign-out rejects the requests that wait for a new token', async () => {
    const { tab, close } = browser();
    const { session } = tab(ana);
    const renewed = session.renew(ana);
    session.signOut();

    await expect(renewed).rejects.toThrow('signed out');
    await expect(session.renew(ana)).rejects.toThrow('signed out');
    close();
  });

  test('switching the organization affects only this tab', async () => {
    const { tab, close } = browser();
    const [first, second] = [tab(ana), tab(ana)];
    first.session.move(tokenOf('ana', 'other'));
    await tab().session.ready; // this tab was answered, so all earlier messages have arrived too

    expect(second.session.token()).toBe(ana);
    close();
  });
});
