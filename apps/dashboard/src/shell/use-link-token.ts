import { useLocation } from '@tanstack/react-router';

const MAX_TOKEN_LENGTH = 500;

/**
 * Returns the token of a link. Invite links that people share have it in the query. Emailed links have it after the
 * `#`, so that browsers do not send it to a server.
 */
export function useLinkToken(inQuery: string | undefined): string | undefined {
  const inHash = useLocation({ select: ({ hash }) => new URLSearchParams(hash).get('token') ?? '' });
  if (inQuery !== undefined) return inQuery;
  return inHash !== '' && inHash.length <= MAX_TOKEN_LENGTH ? inHash : undefined;
}
