import { run } from '../call.mjs';

export default { type: 'fault.limited', run };
