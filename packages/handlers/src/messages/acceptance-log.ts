/** The log line for something that a provider accepted. For the sandbox, it must be clear that nothing was sent. */
export function acceptanceLog(provider: string, what: string, id: string | null): string {
  if (provider === 'sandbox') return `sandbox: ${what} was checked and not sent`;
  return `${provider} accepted ${what}${id === null ? '' : ` as ${id}`}`;
}
