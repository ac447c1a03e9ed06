import { FIRST_ATTACKS } from './attack-names.js';
import { testAttacks } from './short-attacks.js';

testAttacks(FIRST_ATTACKS);
