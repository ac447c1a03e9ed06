/** The claims of a token. They only identify the user; the API decides whether the token is valid. */
export interface TokenClaims {
  /** The id of the user. */
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
    return null; // not a token of this API
  }
}

export function isSameUserAndOrg(one: string, other: string): boolean {
  const [a, b] = [readClaims(one), readClaims(other)];
  return a !== null && b !== null && a.sub === b.sub && a.org === b.org;
}
