// `npm start` with the real supervisor, Postgres and Redis, but with stubs of the two apps.
import { fileURLToPath } from 'node:url';
import { start } from '../../../packages/devstack/dist/start/start.js';

const script = (name) => fileURLToPath(new URL(name, import.meta.url));
const apps = { api: script('api.mjs'), worker: script('worker.mjs') };
process.exit(await start({ argv: process.argv.slice(2), env: process.env, apps }));
