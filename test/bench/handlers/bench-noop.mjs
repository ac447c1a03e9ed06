// The no-op of the product: a custom handler, as an operator would add one.
import { createRecorder } from '../dist/recorder.js';

const record = createRecorder();

export default {
  type: 'bench_noop',
  async run(payload) {
    record(payload);
  },
};
