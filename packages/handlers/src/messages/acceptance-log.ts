/** What a job's log says of something that a provider accepted. The sandbox must not look as if it had sent anything. */
export function acceptanceLog(provider: string, what: string, id: string | null): string {
  if (provider === 'sandbox') return `sandbox: ${what} was checked and not sent`;
  return `${provider} accepted ${what}${id === null ? '' : ` as ${id}`}`;
}
