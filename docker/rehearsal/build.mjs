// Executes a Dockerfile without Docker: each stage is a folder, in which its RUN, COPY and ENV lines are executed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Parses a Dockerfile into `{ instruction, flags, text }`, without comments and with continued lines joined. */
export function readDockerfile(file) {
  const lines = readFileSync(file, 'utf8').replace(/^\s*#.*\n/gm, '');
  return lines
    .replace(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, instruction, flags = '', text] = /^([A-Z]+)\s+((?:--\S+\s+)*)(.*)$/.exec(line) ?? [];
      if (!instruction) throw new Error(`${file}: cannot parse this line: ${line}`);
      return { instruction, flags: flags.trim(), text: text.replace(/\s+/g, ' ').trim() };
    });
}

/**
 * Builds every stage below `dir` as the user of `own`. Returns the stages by name (the last one also as `last`):
 * folder, environment, command and health check. Lines that an earlier stage has in common are not executed again.
 */
export async function build(file, { context, dir, own, built, say }) {
  const stages = new Map();
  let stage;
  let done = '';
  for (const { instruction, flags, text } of readDockerfile(file)) {
    if (instruction === 'FROM') {
      const [, base, name = 'last'] = /^(\S+)(?: AS (\S+))?$/.exec(text) ?? [];
      const parent = stages.get(base);
      done = `FROM ${parent ? parent.lines : base}`;
      stage = { base, env: {}, cwd: '/', lines: done, ...parent, root: built.get(done) ?? parent?.root };
      for (const key of [name, 'last']) stages.set(key, stage);
      continue;
    }
    done += `\n${instruction} ${flags} ${text}`;
    stage.lines = done;
    const execute = { COPY: copy, RUN: run }[instruction];
    if (execute) {
      if (!built.has(done)) {
        // Each change gets a new folder, because other stages may be based on the previous one.
        const root = join(dir, String(built.size + 1));
        if (stage.root) await shell(`cp -al ${stage.root} ${root} || cp -a ${stage.root} ${root}`, {});
        else mkdirSync(root, { recursive: true });
        if (own.uid !== undefined) await shell(`chown -R ${own.uid}:${own.gid} ${root}`, {});
        stage.root = root;
        await execute(flags, text);
        built.set(done, root);
      }
      stage.root = built.get(done);
    } else if (instruction === 'ENV') {
      for (const [, name, value] of text.matchAll(/(\w+)=(\S+)/g)) stage.env = { ...stage.env, [name]: value };
    } else if (instruction === 'WORKDIR') stage.cwd = text;
    else if (instruction === 'USER') stage.user = text;
    else if (instruction === 'CMD') stage.command = JSON.parse(text);
    else if (instruction === 'HEALTHCHECK') stage.check = JSON.parse(/CMD (\[.*\])$/.exec(text)?.[1] ?? '');
    else if (instruction === 'ENTRYPOINT') say(`  not rehearsed: ENTRYPOINT ${text}`);
    else if (!['EXPOSE', 'STOPSIGNAL'].includes(instruction))
      throw new Error(`${file}: cannot rehearse ${instruction}`);
  }
  return stages;

  async function copy(flags, text) {
    const [from, to] = text.split(' ');
    const source = stages.get(/--from=(\S+)/.exec(flags)?.[1])?.root;
    const target = join(stage.root, stage.cwd, to);
    mkdirSync(target, { recursive: true });
    cpSync(source ? join(source, from) : join(context, from), target, { recursive: true, verbatimSymlinks: true });
    if (own.uid !== undefined) await shell(`chown -R ${own.uid}:${own.gid} ${stage.root}`, {});
  }

  async function run(_flags, text) {
    if (/\bapt-get\b/.test(text)) return say(`  not rehearsed: RUN ${text.slice(0, 90)} …`);
    // Absolute paths of the image are below its folder.
    const command = text.replace(/(?<=\s)(?=\/\w)/g, stage.root);
    const startedAt = Date.now();
    await shell(command, { cwd: join(stage.root, stage.cwd), env: { ...own.env, ...stage.env }, ...own.ids });
    say(`  RUN ${text} (${Math.round((Date.now() - startedAt) / 1_000)} s)`);
  }
}

/** Copies the build context: the files of the clone that .dockerignore does not exclude. */
export function copyContext(root, to) {
  const patterns = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n').filter(Boolean);
  const regexes = patterns.map((pattern) => {
    const rest = pattern
      .replace(/^\*\*\//, '')
      .replace(/[.+]/g, '\\$&')
      .replace(/\*/g, '[^/]*');
    return new RegExp(`^${pattern.startsWith('**/') ? '(.*/)?' : ''}${rest}$`);
  });
  const filter = (file) => !regexes.some((regex) => regex.test(relative(root, file)));
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(root)) {
    if (filter(join(root, name)))
      cpSync(join(root, name), join(to, name), { recursive: true, verbatimSymlinks: true, filter });
  }
  if (existsSync(join(to, 'node_modules'))) throw new Error('.dockerignore does not exclude node_modules');
}

async function shell(command, options) {
  const child = spawn('/bin/sh', ['-ec', command], { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${command}: exit ${code}\n${output.slice(-4_000)}`);
}
