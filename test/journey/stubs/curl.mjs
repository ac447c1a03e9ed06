// The part of curl that the documented examples need, for machines without curl. It writes the status of each response
// to STATUS_FILE.
import { appendFileSync } from 'node:fs';

const headers = {};
let [method, url, body, seconds] = ['GET', '', undefined, 30];
const args = process.argv.slice(2);
for (let arg = args.shift(); arg !== undefined; arg = args.shift()) {
  if (arg === '-s' || arg === '-sN') continue;
  if (arg === '-X') method = args.shift();
  else if (arg === '-H') {
    const [, name, value] = /^([^:]+): (.*)$/.exec(args.shift());
    headers[name] = value;
  } else if (arg === '-d') {
    body = args.shift();
    method = 'POST';
  } else if (arg === '--max-time') seconds = Number(args.shift());
  else if (/^https?:/.test(arg) && !url) url = arg;
  else throw new Error(`the curl of the tests does not support ${arg}`);
}

const response = await fetch(url, { method, headers, body, signal: AbortSignal.timeout(seconds * 1_000) });
appendFileSync(process.env.STATUS_FILE, `${response.status} ${method} ${new URL(url).pathname}\n`);
try {
  for await (const chunk of response.body) process.stdout.write(chunk);
} catch (error) {
  if (error.name !== 'TimeoutError') throw error;
  process.exitCode = 28; // curl's exit code for a timeout
}
