const RESULT = { text: 'x'.repeat(1_000_000) };

/** Returns 1 MB. */
export default { type: 'noisy.result', run: () => RESULT };
