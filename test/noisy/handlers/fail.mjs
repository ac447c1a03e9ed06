/** Fails with a message of its own in each job. */
export default {
  type: 'noisy.fail',
  run({ message }) {
    throw new Error(message ?? 'no');
  },
};
