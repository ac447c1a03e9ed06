/** Closes a switch over a union: it does not compile while a member of the union is not handled. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}
