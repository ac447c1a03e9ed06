// The no-op handler of the product: a custom handler like that of an operator.
import { createRecorder } from '../dist/recorder.js';

const record = createRecorder();

export default {
  type: 'bench_noop',
  async run(payload) {
    record(payload);
  },
};
