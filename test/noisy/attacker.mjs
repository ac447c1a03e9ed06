// Attacks an API from a separate process, so that the cost of the attack and of its receivers does not affect the
// measurements of the victim. Its low priority stands for the machines of its own that an attacker has. Plain JavaScript without
// dependencies, so that it runs without a build. It sends the address of its receivers, gets one attack, and answers with the
// number of responses per status.
import { existsSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { ATTACKS, IDLE } from './attacks/index.mjs';
import { startReceivers } from './attacks/receivers.mjs';

setPriority(10);
// Where Linux divides the processors among sessions, this is the priority of the session.
const AUTOGROUP = '/proc/self/autogroup';
if (existsSync(AUTOGROUP)) writeFileSync(AUTOGROUP, '10');

const [pictureFile] = process.argv.slice(2);

process.once('message', async ({ name, ms, ...facts }) => {
  const answered = new Map();
  const count = (what) => answered.set(what, (answered.get(what) ?? 0) + 1);
  const { run } = [IDLE, ...ATTACKS].find((attack) => attack.name === name);
  await run({ ...facts, endsAt: Date.now() + ms, count });
  // Open connections of the attack end with the process.
  process.send({ answered: Object.fromEntries(answered) }, () => process.exit());
});

process.once('disconnect', () => process.exit());
process.send({ receiver: await startReceivers(pictureFile) });
