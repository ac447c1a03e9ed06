// A server that accepts jobs: Express with express.json(), which discards them or submits them to a library, or bare
// node:http to check the load generator.
import { createServer } from 'node:http';
import express from 'express';
import type { Payload } from './payload.js';
import { findPeer } from './peers/index.js';
import { serve } from './serve.js';

const { BENCH_SYSTEM = '', BENCH_ADDRESSES = '', PORT = '' } = process.env;
const accepted = { id: '019e1c0e-7d5f-7cc8-b7a6-0f4f2f3f9d11', status: 'pending' };

const listener = BENCH_SYSTEM === 'bare' ? bare : await createExpress();
createServer(listener).listen(Number(PORT), '127.0.0.1', () => serve({}));

async function createExpress(): Promise<express.Express> {
  // Written by the process that started this one.
  const submitter = await findPeer(BENCH_SYSTEM)?.openSubmitter(JSON.parse(BENCH_ADDRESSES));
  return express().post('/jobs', express.json(), async (req, res) => {
    // The cast: the load generator sends no other payloads.
    if (submitter) await submitter.add(req.body.payload as Payload);
    res.status(202).json(accepted);
  });
}

function bare(...[req, res]: Parameters<Parameters<typeof createServer>[1] & object>): void {
  req.resume().once('end', () => {
    const body = JSON.stringify(accepted);
    res.writeHead(202, { 'Content-Type': 'application/json', 'Content-Length': body.length }).end(body);
  });
}
