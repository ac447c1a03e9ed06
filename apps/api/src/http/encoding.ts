/** The first of those that are there which the header `Accept-Encoding` does not refuse; else `identity`. */
export function chooseEncoding(accepted: string | undefined, there: Iterable<string>): string {
  const weights = new Map((accepted ?? '').toLowerCase().split(',').map(weightOf));
  for (const encoding of there) if ((weights.get(encoding) ?? weights.get('*') ?? 0) > 0) return encoding;
  return 'identity';
}

/** `br;q=0.5` → br, 0.5. */
function weightOf(item: string): [string, number] {
  const [name = '', ...parameters] = item.split(';').map((part) => part.trim());
  const q = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return [name, q === undefined ? 1 : Number(q) || 0];
}
