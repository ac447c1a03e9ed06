// The receivers of an attacker. The first word of a path says how it answers.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const SLOW_MS = 14_000;

const ANSWERS = {
  fast: (res) => res.end(),
  slow: (res) => setTimeout(() => res.end(), SLOW_MS),
  fail: (res) => res.writeHead(500).end(),
  gone: (res) => res.writeHead(410).end(),
  hang: () => undefined,
  /** A byte a second. */
  drip: (res) => repeat(res, 1_000, () => res.write('.')),
  /** As much as the reader takes. */
  pour(res) {
    const more = () => {
      while (!res.destroyed && res.write(Buffer.alloc(65_536)));
    };
    res.on('drain', more);
    more();
  },
  picture: (res, file) => res.setHeader('content-type', 'image/png').end(readFileSync(file)),
};

/** Returns the address; the server has every address of this machine. It ends with the process. */
export function startReceivers(pictureFile) {
  const server = createServer((req, res) => {
    req.resume();
    res.on('error', () => undefined);
    ANSWERS[req.url.split('/')[1]](res, pictureFile);
  });
  return new Promise((resolve) => {
    server.listen(0, () => resolve(`http://127.0.0.1:${server.address().port}`));
  });
}

function repeat(res, ms, step) {
  const timer = setInterval(step, ms);
  res.on('close', () => clearInterval(timer));
}
