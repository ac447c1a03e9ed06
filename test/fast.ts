/**
 * What `npm test` runs: these folders, each `without` some of its files or with `only` some of them. It covers every
 * package, endpoint, page and promise, as test/architecture/fast.test.ts checks, and takes about five minutes on two
 * processors. The durations in test/harness/durations.json decide what is in it: the shortest test of each promise.
 * `npm run test:all` runs everything.
 */
export const FAST: readonly { folder: string; only?: readonly string[]; without?: readonly string[] }[] = [
  { folder: 'packages' },
  { folder: 'apps' },
  { folder: 'test/architecture' },
  { folder: 'test/harness' },
  { folder: 'test/api' },
];
