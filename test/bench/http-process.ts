// A server that accepts jobs and discards them: Express with express.json(), or bare node:http to check the load
// generator.
import { createServer } from 'node:http';
import express from 'express';
import { serve } from './serve.js';

const { BENCH_SYSTEM = '', PORT = '' } = process.env;
const accepted = { id: '019e1c0e-7d5f-7cc8-b7a6-0f4f2f3f9d11', status: 'pending' };

createServer(BENCH_SYSTEM === 'express' ? createExpress() : bare).listen(Number(PORT), '127.0.0.1', () => serve({}));

function createExpress(): express.Express {
  return express().post('/jobs', express.json(), (_req, res) => {
    res.status(202).json(accepted);
  });
}

function bare(...[req, res]: Parameters<Parameters<typeof createServer>[1] & object>): void {
  req.resume().once('end', () => {
    const body = JSON.stringify(accepted);
    res.writeHead(202, { 'Content-Type': 'application/json', 'Content-Length': body.length }).end(body);
  });
}
