import { useLocation } from '@tanstack/react-router';

const MAX_LENGTH = 500;

/**
 * The token that a link carries: in its query, as links that are handed over have it, or after its `#`, as mailed ones do,
 * where it is sent to no server.
 */
export function useLinkToken(inQuery: string | undefined): string | undefined {
  const inHash = useLocation({ select: ({ hash }) => new URLSearchParams(hash).get('token') ?? '' });
  if (inQuery !== undefined) return inQuery;
  return inHash !== '' && inHash.length <= MAX_LENGTH ? inHash : undefined;
}
