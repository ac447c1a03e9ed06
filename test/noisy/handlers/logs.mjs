const LINE = 'x'.repeat(8_000);

/** Logs as much as is kept of an attempt. */
export default {
  type: 'noisy.logs',
  run(_payload, { log }) {
    for (let n = 0; n < 1_000; n++) log('info', LINE);
  },
};
