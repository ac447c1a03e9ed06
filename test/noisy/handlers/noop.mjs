/** Does nothing. */
export default { type: 'noisy.noop', run: () => null };
