// `npm start` without installing and building.
import { start } from '../../../packages/devstack/dist/start/start.js';

process.exit(await start({ argv: process.argv.slice(2), env: process.env }));
