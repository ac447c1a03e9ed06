import { ATTACK_NAMES, FIRST_ATTACKS } from './attack-names.js';
import { testAttacks } from './short-attacks.js';

testAttacks(ATTACK_NAMES.filter((name) => !FIRST_ATTACKS.includes(name)));
