import { writeFileSync } from 'node:fs';
import { createCatalogue } from '@jobline/handlers';
import { endpoints } from '../endpoints/index.js';
import { createDocument } from './document.js';

/** A program that writes the API document: `node write-document.js <file>`. The build generates types from that file. */
const [, , file] = process.argv;
if (file === undefined) throw new Error('usage: node write-document.js <file>');
const document = createDocument(endpoints, { catalogue: createCatalogue(), publicUrl: 'http://localhost:3000' });
writeFileSync(file, JSON.stringify(document));
