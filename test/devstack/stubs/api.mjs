// A stub of the API app with the endpoints that the demo needs. It runs webhook jobs itself, in memory. Jobs of other
// types are done immediately and have one artifact. Jobs of a batch do not wait for each other.
import { createServer } from 'node:http';

const jobs = new Map();
const now = () => new Date().toISOString();

async function run(job, attempt) {
  const log = (level, message) => job.logs.push({ attempt, level, message, timestamp: now() });
  job.status = 'processing';
  log('info', `attempt ${attempt} started`);
  if (job.type !== 'webhook') {
    job.status = 'done';
    return;
  }
  const answer = await fetch(job.payload.url, {
    method: 'POST',
    headers: { 'webhook-id': job.id },
    body: JSON.stringify(job.payload.payload),
  });
  if (answer.ok) {
    log('info', `the receiver answered ${answer.status}`);
    job.status = 'done';
  } else {
    log('error', `the receiver answered ${answer.status}`);
    job.status = 'pending';
    setTimeout(run, 50, job, attempt + 1);
  }
}

function submit({ id = `job-${jobs.size + 1}`, type, payload }) {
  const job = { id, type, status: 'pending', created_at: now(), payload, logs: [] };
  jobs.set(id, job);
  setImmediate(run, job, 1);
  return { id, status: job.status };
}

async function answer(request) {
  const { pathname } = new URL(request.url, 'http://localhost');
  const body = request.method === 'POST' ? JSON.parse(Buffer.concat(await request.toArray()).toString()) : {};
  const [, , id, part] = pathname.split('/');
  if (pathname === '/readyz') return [200, {}];
  if (pathname === '/auth/register') {
    if (process.env.REGISTRATION === 'closed') return [403, { error: { code: 'forbidden', message: 'closed' } }];
    return [201, { token: 'a-token', user: {}, org: { id: '1', name: body.org_name } }];
  }
  if (pathname === '/auth/login') return [401, {}];
  if (pathname === '/org/api-keys')
    return [201, { id: '1', name: body.name, key: 'jl_stub', prefix: 'jl_', created_at: now() }];
  if (pathname === '/org/sender-ids') return [201, { id: '1', sender_id: body.sender_id, created_at: now() }];
  if (id === 'messages') return [200, { status: 'sent', provider: 'sandbox', from: 'a', to: 'b' }];
  if (pathname === '/jobs' && request.method === 'GET') return [401, {}];
  if (pathname === '/jobs') return [202, submit(body)];
  if (pathname === '/jobs/batch') return [202, { jobs: body.jobs.map(submit) }];
  const job = jobs.get(id);
  if (!job) return [404, {}];
  const { logs, ...summary } = job;
  const artifacts = job.type === 'webhook' ? [] : [{ name: 'file.bin', url: `/jobs/${id}/artifacts/file.bin` }];
  const result = { status: job.status, result: { message_id: `of-${id}` } };
  return [200, { logs, artifacts, result }[part] ?? summary];
}

const server = createServer(async (request, response) => {
  const [status, body] = await answer(request);
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
});
server.listen(Number(process.env.PORT), process.env.HOST);
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => process.exit(0));
