import bcrypt from 'bcrypt';

/** bcrypt reads no further. A longer password must be refused, or any other with the same beginning would open it. */
export const MAX_PASSWORD_BYTES = 72;

export interface Passwords {
  hash(password: string): Promise<string>;
  /** Takes the same time whether there is a hash to compare with or not. */
  verify(password: string, hash: string | null): Promise<boolean>;
}

export function createPasswords(options: { cost: number }): Passwords {
  // Well formed, so that comparing with it costs a whole hash; nobody knows a password for it.
  const nobody = `$2b$${String(options.cost).padStart(2, '0')}$${'.'.repeat(53)}`;
  return {
    hash: (password) => bcrypt.hash(password, options.cost),

    async verify(password, hash) {
      const readable = hash !== null && Buffer.byteLength(password) <= MAX_PASSWORD_BYTES;
      const matches = await bcrypt.compare(password, readable ? hash : nobody);
      return matches && readable;
    },
  };
}
