import { isSameUserAndOrg } from './token.js';

/** Who is signed in, in this tab. */
export interface Session {
  /** Resolves once it is known whether a sibling tab has a token for this one. */
  ready: Promise<void>;
  token(): string | null;
  /** Whether the token was refused and the sign-in dialog is open. */
  isExpired(): boolean;
  /** For useSyncExternalStore. */
  subscribe(listener: () => void): () => void;
  /** Siblings that are signed out, or wait for this user to sign in again, are too. */
  signIn(token: string): void;
  /** To another organization, in this tab alone. */
  move(token: string): void;
  /** In every tab. */
  signOut(): void;
  /** After a 401 to that token: one to repeat the request with, as soon as there is one. Rejects on sign-out. */
  renew(refused: string): Promise<string>;
}

export interface SessionDeps {
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  /** To the other tabs of this origin. */
  channel: BroadcastChannel;
  /** Called with the token that was thrown away here, whoever signed out. */
  onSignedOut(token: string): void;
}

/** What tabs say to each other. `ask` is answered with `have`. */
type Word = { kind: 'ask' } | { kind: 'have'; token: string } | { kind: 'out' };

const KEY = 'jobline.token';
/** Siblings answer within milliseconds; without any, a first visit waits this long. */
const ANSWER_WITHIN_MS = 150;

/**
 * The token lives in sessionStorage, which is a tab's own: a new tab asks its siblings for theirs. An expired one is kept
 * until somebody signs in again, so that the mounted page, and what was typed into it, survives.
 */
export function createSession({ storage, channel, onSignedOut }: SessionDeps): Session {
  const listeners = new Set<() => void>();
  let token = storage.getItem(KEY);
  let renewal: Renewal | null = null;

  const say = (word: Word) => channel.postMessage(word);
  const changed = () => {
    for (const listener of listeners) listener();
  };

  function enter(next: string): void {
    token = next;
    storage.setItem(KEY, next);
    renewal?.resolve(next);
    renewal = null;
    changed();
  }

  function leave(): void {
    const thrownAway = token;
    token = null;
    storage.removeItem(KEY);
    renewal?.reject(new Error('signed out'));
    renewal = null;
    if (thrownAway !== null) onSignedOut(thrownAway);
    changed();
  }

  let siblingAnswered: () => void = () => undefined;
  channel.addEventListener('message', ({ data }: MessageEvent<Word>) => {
    if (data.kind === 'ask' && token !== null && !renewal) say({ kind: 'have', token });
    if (data.kind === 'out') leave();
    if (data.kind !== 'have') return;
    const isWanted = token === null || (renewal !== null && isSameUserAndOrg(token, data.token));
    if (isWanted) enter(data.token);
    siblingAnswered();
  });

  return {
    ready: token !== null ? Promise.resolve() : askSiblings(),
    token: () => token,
    isExpired: () => renewal !== null,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    signIn(next) {
      enter(next);
      say({ kind: 'have', token: next });
    },
    move: enter,
    signOut() {
      leave();
      say({ kind: 'out' });
    },
    async renew(refused) {
      if (token === null) throw new Error('signed out');
      if (token !== refused) return token; // somebody was faster
      if (renewal) return renewal.promise;
      const waiting = createRenewal();
      renewal = waiting;
      changed();
      return waiting.promise;
    },
  };

  function askSiblings(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ANSWER_WITHIN_MS);
      siblingAnswered = () => {
        clearTimeout(timer);
        resolve();
      };
      say({ kind: 'ask' });
    });
  }
}

/** Requests that wait for somebody to sign in again. */
interface Renewal {
  promise: Promise<string>;
  resolve(token: string): void;
  reject(error: Error): void;
}

function createRenewal(): Renewal {
  let resolve: Renewal['resolve'] = () => undefined;
  let reject: Renewal['reject'] = () => undefined;
  const promise = new Promise<string>((onToken, onError) => {
    resolve = onToken;
    reject = onError;
  });
  return { promise, resolve, reject };
}
