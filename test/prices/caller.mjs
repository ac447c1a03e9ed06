// Sends requests to an API from a separate process, so that the API's process does nothing but answer them. Plain JavaScript
// without dependencies, so that it runs without a build. The parent sends a request, then `go`; the answer is the response.
import { Agent, request } from 'node:http';

const agent = new Agent({ keepAlive: true });
/** As much of a response as the parent needs to explain a failure. */
const KEPT = 1_000;

let next;

process.on('message', (message) => {
  if (message === 'go') void call(next).then((answer) => process.send(answer));
  else {
    next = message;
    process.send('ready');
  }
});

function call({ url, method, headers, body }) {
  return new Promise((resolve) => {
    const sent = request(url, { method, headers, agent }, (response) => {
      let bytes = 0;
      let text = '';
      const answer = () => ({ status: response.statusCode, headers: response.headers, bytes, text });
      response.on('data', (chunk) => {
        bytes += chunk.length;
        if (text.length < KEPT) text += chunk.subarray(0, KEPT).toString();
        // A stream never ends.
        if (response.headers['content-type'] !== 'text/event-stream') return;
        resolve(answer());
        sent.destroy();
      });
      response.on('end', () => resolve(answer()));
      response.on('error', () => resolve(answer()));
    });
    sent.on('error', (error) => resolve({ status: 0, headers: {}, bytes: 0, text: String(error) }));
    sent.end(body);
  });
}
