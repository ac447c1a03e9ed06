import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromiumProblem } from '@jobline/providers';
import { findChromium } from '@jobline/providers/chromium';
import { afterEach, describe, expect, test } from 'vitest';
import { keepingLogger } from '../api/support.js';
import { browserProcesses, profileDirs } from '../harness/browser-traces.js';
import { until } from '../harness/until.js';
import { readPdf } from './pdf-reader.js';
import { closeAll, open, request } from './support.js';

afterEach(closeAll);

describe('the PDF browser', () => {
  test('is shared by all documents, and their pages are isolated', async () => {
    const pdfs = open();
    const all = Array.from({ length: 8 }, (_, n) => pdfs.render(request(`<p>document ${n}</p>`)));

    const texts = (await Promise.all(all)).map(async ({ bytes }) => (await readPdf(bytes)).pages.join());

    expect(await Promise.all(texts)).toEqual(all.map((_, n) => `document ${n}`));
    expect(profileDirs()).toHaveLength(1);
  });

  test('is replaced if it is killed during a document, and the document is rendered', async () => {
    const pdfs = open();
    let kills = 0;
    const loadImages = async () => {
      if (kills++ === 0) killBrowser();
      return new Map<string, Uint8Array>();
    };

    const pdf = await pdfs.render(request('<p>made</p><img src="https://pictures.example/">', { loadImages }));

    expect(kills).toBe(2);
    expect((await readPdf(pdf.bytes)).pages).toEqual(['made']);
    expect(profileDirs()).toHaveLength(1);
  });

  test('fails a document that kills it every time, and renders the next one', async () => {
    const pdfs = open();
    const loadImages = async () => {
      killBrowser();
      return new Map<string, Uint8Array>();
    };

    await expect(pdfs.render(request('<img src="https://pictures.example/">', { loadImages }))).rejects.toMatchObject({
      code: 'provider_unavailable',
      message: 'the browser died while it rendered the document',
    });
    expect((await pdfs.render(request('<p>next</p>'))).pages).toBe(1);
  });

  test('is replaced after a number of documents, when the last of them is done', async () => {
    const pdfs = open({ maxPages: 2 });
    const used: string[] = [];
    const loadImages = async () => {
      used.push(...profileDirs());
      return new Map<string, Uint8Array>();
    };

    for (let n = 0; n < 4; n++) await pdfs.render(request('<img src="https://pictures.example/">', { loadImages }));

    expect(new Set(used).size).toBe(2);
    expect(profileDirs()).toEqual([]);
  });

  test('is replaced if it dies while it is idle', async () => {
    const pdfs = open();
    await pdfs.render(request('<p>first</p>'));
    killBrowser();

    expect((await pdfs.render(request('<p>second</p>'))).pages).toBe(1);
    expect(profileDirs()).toHaveLength(1);
  });

  test('removes the profiles of killed processes, and no others', async () => {
    const host = hostname().replace(/[^\w.-]/g, '-');
    const dead = join(tmpdir(), `jobline-browser_${host}_999999999_1_abc`);
    const before = join(tmpdir(), `jobline-browser_${host}_${process.pid}_1_abc`);
    const elsewhere = join(tmpdir(), 'jobline-browser_another-host_999999999_1_abc');
    const alive = join(tmpdir(), `jobline-browser_${host}_${process.ppid}_1_abc`);
    for (const dir of [dead, before, elsewhere, alive]) mkdirSync(dir);

    await open().render(request('<p>x</p>'));

    expect([dead, before, elsewhere, alive].map((dir) => existsSync(dir))).toEqual([false, false, true, true]);
    for (const dir of [elsewhere, alive]) rmdirSync(dir);
  });

  test('is named in a clear error if it cannot be found', async () => {
    const pdfs = open({ executablePath: '/no/such/browser' });

    await expect(pdfs.render(request('<p>x</p>'))).rejects.toMatchObject({
      code: 'provider_unavailable',
      message:
        'PDFs cannot be rendered: PUPPETEER_EXECUTABLE_PATH is /no/such/browser, but this is not a Chromium that can be run here',
    });
  });

  test('runs without its sandbox only if configured; otherwise the error says what to do', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'jobline-unsandboxed-'));
    // Simulates Chromium without permission to create user namespaces. As root, it rejects the start with a different
    // message.
    const fakeBrowser = 'case "$*" in --version|*--no-sandbox*) ;; *) echo "No usable sandbox!" >&2; exit 1 ;; esac';
    const executablePath = await writeWrapper(dir, fakeBrowser);

    await expect(open({ executablePath, isSandboxed: true }).render(request('<p>x</p>'))).rejects.toMatchObject({
      code: 'provider_unavailable',
      message: expect.stringMatching(/^PDFs cannot be rendered: Chromium.*sandbox.*or set CHROMIUM_SANDBOX=off/),
    });
    expect(await chromiumProblem({ executablePath, isSandboxed: true })).toMatch(/^generate_pdf will fail.*sandbox/);
    expect(await chromiumProblem({ executablePath, isSandboxed: false })).toBe(null);
    expect((await open({ executablePath, isSandboxed: false }).render(request('<p>x</p>'))).pages).toBe(1);
    rmSync(dir, { recursive: true });
  });

  test('logs its output if it does not start', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'jobline-broken-'));
    const noStart = 'case "$*" in --version) ;; *) echo "no such library" >&2; exit 1 ;; esac';
    const executablePath = await writeWrapper(dir, noStart);
    const { log, lines } = keepingLogger();

    await expect(open({ executablePath, log }).render(request('<p>x</p>'))).rejects.toMatchObject({
      code: 'provider_unavailable',
      message: 'the browser for PDFs could not be started',
    });
    expect(String(lines[0]?.fields.error)).toContain('Chromium does not start; the end of its output: no such library');
    rmSync(dir, { recursive: true });
  });

  test('is started again if its first start fails', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'jobline-slowStarter-'));
    const fakeBrowser = `case "$*" in --version) ;; *) mkdir ${dir}/refused 2>/dev/null && exit 1 ;; esac`;
    const slowStarter = await writeWrapper(dir, fakeBrowser);

    const pdf = await open({ executablePath: slowStarter }).render(request('<p>made</p>'));

    expect(existsSync(join(dir, 'refused'))).toBe(true);
    expect((await readPdf(pdf.bytes)).pages).toEqual(['made']);
    rmSync(dir, { recursive: true });
  });

  test('does not get our environment variables', async () => {
    process.env.JOBLINE_TEST_SECRET = 'no browser should have this';
    const environments: string[] = [];
    const loadImages = async () => {
      for (const pid of browserProcesses()) environments.push(readFileSync(`/proc/${pid}/environ`, 'latin1'));
      return new Map<string, Uint8Array>();
    };

    await open().render(request('<img src="https://pictures.example/">', { loadImages }));
    delete process.env.JOBLINE_TEST_SECRET;

    expect(environments.join()).toContain('HOME=');
    expect(environments.join()).not.toContain('JOBLINE_TEST_SECRET');
  });
});

describe('the signal of a document', () => {
  test('closes the page immediately, with its own reason', async () => {
    const pdfs = open();
    await pdfs.render(request('<p>warm</p>'));
    const ending = new AbortController();
    let processes = 0;
    const loadImages = () => {
      processes = browserProcesses().length;
      return new Promise<never>(() => undefined);
    };
    const html = '<img src="https://pictures.example/">';
    const made = pdfs.render(request(html, { signal: ending.signal, loadImages }));
    const failed = expect(made).rejects.toThrow('canceled');
    await until('the page to wait', () => processes > 0);

    ending.abort(new Error('canceled'));

    await failed;
    await until('its process to be gone', () => browserProcesses().length < processes);
    expect((await pdfs.render(request('<p>next</p>'))).pages).toBe(1);
  });

  test('rejects without waiting for a browser to start', async () => {
    const ending = new AbortController();
    const pdfs = open();

    const made = pdfs.render(request('<p>x</p>', { signal: ending.signal }));
    ending.abort(new Error('canceled'));

    await expect(made).rejects.toThrow('canceled');
    expect(await readPdf((await pdfs.render(request('<p>next</p>'))).bytes)).toMatchObject({ pages: ['next'] });
    expect(profileDirs()).toHaveLength(1);
  });

  test('starts nothing if it was aborted before', async () => {
    const signal = AbortSignal.abort(new Error('canceled'));

    await expect(open().render(request('<p>x</p>', { signal }))).rejects.toThrow('canceled');
    expect(browserProcesses()).toEqual([]);
  });
});

test('closing ends documents in progress and accepts no new ones', async () => {
  const pdfs = open();
  const made = pdfs.render(
    request('<img src="https://pictures.example/">', { loadImages: () => new Promise(() => undefined) }),
  );
  const failed = expect(made).rejects.toMatchObject({ code: 'provider_unavailable' });
  await until('the browser', () => browserProcesses().length > 0);

  await pdfs.close();

  await failed;
  expect(browserProcesses()).toEqual([]);
  await expect(pdfs.render(request('<p>x</p>'))).rejects.toMatchObject({ code: 'provider_unavailable' });
});

/** A program that runs these lines of shell, then the browser of the tests. */
async function writeWrapper(dir: string, lines: string): Promise<string> {
  const { path, env } = await findChromium(process.env.PUPPETEER_EXECUTABLE_PATH);
  const variables = Object.entries(env).map(([name, value]) => `export ${name}='${value}'`);
  const wrapper = join(dir, 'chromium');
  writeFileSync(wrapper, ['#!/bin/sh', ...variables, lines, `exec ${path} "$@"`, ''].join('\n'), { mode: 0o755 });
  return wrapper;
}

function killBrowser(): void {
  for (const pid of browserProcesses()) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      // It was removed together with a killed process.
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }
}
