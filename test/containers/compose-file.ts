import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** The parts of a Compose file that the tests carry out. */
export interface ComposeFile {
  services: Record<string, ContainerSpec>;
  networks: Record<string, { internal?: boolean }>;
  configs: Record<string, { content: string }>;
}

export interface ContainerSpec {
  image: string;
  build?: { dockerfile: string; target?: string };
  command?: string[];
  environment?: Record<string, string>;
  env_file?: { path: string }[];
  networks: string[];
  volumes?: string[];
  configs?: { source: string; target: string }[];
  tmpfs?: string[];
  read_only?: boolean;
  cap_drop?: string[];
  cap_add?: string[];
  security_opt?: string[];
  shm_size?: string;
  restart?: string;
  stop_grace_period?: string;
  healthcheck?: { test?: string[]; disable?: boolean };
  depends_on?: Record<string, { condition: string }>;
  deploy?: { replicas?: number; resources?: { limits?: { cpus?: string; memory?: string; pids?: number } } };
}

/** Reads Compose files: values of later files replace those of earlier ones, and `env` has the variables. */
export function readCompose(files: readonly string[], env: Record<string, string | undefined>): ComposeFile {
  const merged = files.map((file) => parse(readFileSync(file, 'utf8'), { merge: true })).reduce(mergeMaps);
  // The cast: Compose's schema is checked by the tests of docker.
  return interpolate(merged, env) as ComposeFile;
}

function mergeMaps(first: unknown, second: unknown): unknown {
  if (!isMap(first) || !isMap(second)) return second;
  const merged = { ...first };
  for (const [name, value] of Object.entries(second)) merged[name] = mergeMaps(first[name], value);
  return merged;
}

function interpolate(value: unknown, env: Record<string, string | undefined>): unknown {
  if (typeof value === 'string') return replaceVariables(value, env);
  if (Array.isArray(value)) return value.map((item) => interpolate(item, env));
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, interpolate(item, env)]));
}

/** `$$`, `${NAME}`, `${NAME:-default}` and `${NAME:?message}`. */
function replaceVariables(text: string, env: Record<string, string | undefined>): string {
  return text.replace(/\$\$|\$\{(\w+)(?::([-?])([^}]*))?\}/g, (match, name?: string, rule?: string, rest = '') => {
    if (name === undefined) return '$';
    const value = env[name] ?? '';
    if (value === '' && rule === '?') throw new Error(`${match}: ${rest}`);
    return value === '' && rule === '-' ? rest : value;
  });
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
