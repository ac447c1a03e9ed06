import { ATTACKS } from './attacks/index.mjs';
import { FIRST_ATTACKS, testAttacks } from './short-form.js';

testAttacks(ATTACKS.filter(({ name }) => FIRST_ATTACKS.includes(name)));
