import { describe, expect, test } from 'vitest';
import { createSession, type Session } from './session.js';

/** Tabs of one browser: a storage each, one channel. */
function browser() {
  const name = `jobline-${Math.random()}`;
  const channels: BroadcastChannel[] = [];
  return {
    tab(stored?: string) {
      const kept = new Map<string, string>(stored === undefined ? [] : [['jobline.token', stored]]);
      const storage = {
        getItem: (key: string) => kept.get(key) ?? null,
        setItem: (key: string, value: string) => void kept.set(key, value),
        removeItem: (key: string) => void kept.delete(key),
      };
      const channel = new BroadcastChannel(name);
      channels.push(channel);
      const thrownAway: string[] = [];
      const session = createSession({ storage, channel, onSignedOut: (token) => thrownAway.push(token) });
      return { session, kept, thrownAway };
    },
    close() {
      for (const channel of channels) channel.close();
    },
  };
}

function tokenOf(sub: string, org: string, n = 1): string {
  return `h.${btoa(JSON.stringify({ sub, org, n }))}.s`;
}

function becomes(session: Session, isSo: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (!isSo()) return;
      stop();
      resolve();
    };
    const stop = session.subscribe(look);
    look();
  });
}

const ana = tokenOf('ana', 'acme');

describe('a session', () => {
  test('is asked of sibling tabs, and there is none without them', async () => {
    const { tab, close } = browser();
    const lonely = tab();
    await lonely.session.ready;
    expect(lonely.session.token()).toBeNull();

    const first = tab(ana);
    const second = tab();
    await second.session.ready;
    expect(second.session.token()).toBe(ana);
    expect([...second.kept.values()]).toEqual([ana]);
    expect(first.session.token()).toBe(ana);
    close();
  });

  test('ends everywhere at once, and each tab throws away its own token', async () => {
    const { tab, close } = browser();
    const [first, second] = [tab(ana), tab(tokenOf('ana', 'other'))];
    first.session.signOut();
    await becomes(second.session, () => second.session.token() === null);

    expect(first.thrownAway).toEqual([ana]);
    expect(second.thrownAway).toEqual([tokenOf('ana', 'other')]);
    expect(second.kept.size).toBe(0);
    close();
  });

  test('is renewed once for all requests that were refused, and kept from whoever still has the old one', async () => {
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

  test('that has expired takes a sibling’s new one only if it is the same person’s in the same organization', async () => {
    const { tab, close } = browser();
    const [first, second] = [tab(ana), tab(ana)];
    const renewed = first.session.renew(ana);
    second.session.signIn(tokenOf('bob', 'acme'));
    second.session.signIn(tokenOf('ana', 'other'));
    second.session.signIn(tokenOf('ana', 'acme', 3));

    expect(await renewed).toBe(tokenOf('ana', 'acme', 3));
    close();
  });

  test('that is signed out instead of renewed refuses what waited', async () => {
    const { tab, close } = browser();
    const { session } = tab(ana);
    const renewed = session.renew(ana);
    session.signOut();

    await expect(renewed).rejects.toThrow('signed out');
    await expect(session.renew(ana)).rejects.toThrow('signed out');
    close();
  });

  test('of another organization is this tab’s alone', async () => {
    const { tab, close } = browser();
    const [first, second] = [tab(ana), tab(ana)];
    first.session.move(tokenOf('ana', 'other'));
    await tab().session.ready; // has asked and been answered: what was said before has been heard, too

    expect(second.session.token()).toBe(ana);
    close();
  });
});
