/** What a token says. Only to know whose it is: the API alone decides what it is worth. */
export interface TokenClaims {
  /** The user. */
  sub: string;
  org: string;
}

export function readClaims(token: string): TokenClaims | null {
  try {
    const [, body = ''] = token.split('.');
    const claims: Partial<TokenClaims> = JSON.parse(atob(body.replaceAll('-', '+').replaceAll('_', '/')));
    return typeof claims.sub === 'string' && typeof claims.org === 'string'
      ? { sub: claims.sub, org: claims.org }
      : null;
  } catch {
    return null; // no token of ours
  }
}

export function isSameUserAndOrg(one: string, other: string): boolean {
  const [a, b] = [readClaims(one), readClaims(other)];
  return a !== null && b !== null && a.sub === b.sub && a.org === b.org;
}
