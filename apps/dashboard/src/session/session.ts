/** The session of this tab. */
export type Session = ReturnType<typeof createSession>;

interface SessionDeps {
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  /** The channel to the other tabs of this origin. */
  channel: BroadcastChannel;
  /** Called with the token that this tab has deleted, also if another tab signed out. */
  onSignedOut(token: string): void;
}

/** The messages between tabs. A tab with a token answers `ask` with `have`. */
type TabMessage = { kind: 'ask' } | { kind: 'have'; token: string } | { kind: 'out' };

const KEY = 'jobline.token';
/** How long a new tab waits for other tabs. They answer within milliseconds, so only the first tab waits this long. */
const ANSWER_TIMEOUT_MS = 150;

/**
 * The token is in sessionStorage, which belongs to one tab, so a new tab asks the other tabs for theirs. An expired
 * token is kept until the user signs in again, so that the page and everything typed into it stay.
 */
export function createSession({ storage, channel, onSignedOut }: SessionDeps) {
  const listeners = new Set<() => void>();
  let token = storage.getItem(KEY);
  /** The requests that wait for a new token. */
  const waiting: { resolve(token: string): void; reject(error: Error): void }[] = [];

  const post = (message: TabMessage) => channel.postMessage(message);
  const notify = () => {
    for (const listener of listeners) listener();
  };

  function setToken(next: string): void {
    token = next;
    storage.setItem(KEY, next);
    for (const { resolve } of waiting.splice(0)) resolve(next);
    notify();
  }

  function clearToken(): void {
    const deleted = token;
    token = null;
    storage.removeItem(KEY);
    for (const { reject } of waiting.splice(0)) reject(new Error('signed out'));
    if (deleted !== null) onSignedOut(deleted);
    notify();
  }

  let onAnswer: () => void = () => undefined;
  channel.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => {
    if (data.kind === 'ask' && token !== null && waiting.length === 0) post({ kind: 'have', token });
    if (data.kind === 'out') clearToken();
    if (data.kind !== 'have') return;
    const isWanted = token === null || (waiting.length > 0 && isSameUserAndOrg(token, data.token));
    if (isWanted) setToken(data.token);
    onAnswer();
  });

  return {
    /** Resolves when it is known whether another tab has a token for this one. */
    ready: token !== null ? Promise.resolve() : askOtherTabs(),
    token: () => token,
    /** Whether the API rejected the token, so that the sign-in dialog is open. */
    isExpired: () => waiting.length > 0,
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Also signs in the other tabs that are signed out or wait for the same user to sign in again. */
    signIn(next: string): void {
      setToken(next);
      post({ kind: 'have', token: next });
    },
    /** Switches to another organization, in this tab only. */
    move: setToken,
    /** Signs out in every tab. */
    signOut(): void {
      clearToken();
      post({ kind: 'out' });
    },
    /** Waits for a new token after the API rejected this one with a 401. Rejects on sign-out. */
    renew: (rejected: string) =>
      new Promise<string>((resolve, reject) => {
        if (token === null) reject(new Error('signed out'));
        else if (token !== rejected)
          resolve(token); // another request has already renewed it
        else {
          waiting.push({ resolve, reject });
          notify();
        }
      }),
  };

  function askOtherTabs(): Promise<void> {
    return new Promise((resolve) => {
      onAnswer = resolve;
      setTimeout(resolve, ANSWER_TIMEOUT_MS);
      post({ kind: 'ask' });
    });
  }
}

/** The ids of the user and the organization in a token. They only identify; the API decides whether the token is valid. */
export function readClaims(token: string): { sub: string; org: string } | null {
  try {
    const [, body = ''] = token.split('.');
    const { sub, org }: Record<string, unknown> = JSON.parse(atob(body.replaceAll('-', '+').replaceAll('_', '/')));
    return typeof sub === 'string' && typeof org === 'string' ? { sub, org } : null;
  } catch {
    return null; // not a token of this API
  }
}

function isSameUserAndOrg(one: string, other: string): boolean {
  const [a, b] = [readClaims(one), readClaims(other)];
  return a !== null && b !== null && a.sub === b.sub && a.org === b.org;
}
