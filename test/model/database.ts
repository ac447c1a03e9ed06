import { createDb, createHotDb, type Db, type HotDb } from '@jobline/db';
import { Sql } from '@prisma/client/runtime/client';
import { createTestDatabase } from '../harness/index.js';

/** A database with enough connections for concurrent calls to conflict there. */
export interface ModelDatabase {
  db: Db;
  hot: HotDb;
  drop(): Promise<void>;
}

const POOL_SIZE = 8;

export async function createModelDatabase(): Promise<ModelDatabase> {
  const database = await createTestDatabase();
  const options = { url: database.url, poolSize: POOL_SIZE, onIdleError: () => undefined };
  const [db, hot] = [createDb(options), createHotDb(options)];
  return {
    db,
    hot,
    async drop() {
      await Promise.all([db.$disconnect(), hot.close()]);
      await database.drop();
    },
  };
}

/** A text in a statement and its replacement: a bug that the model must find. */
export interface Planted {
  from: string;
  to: string;
}

/** Makes a function of the database wrong. Returns what restores it. */
export async function plantInFunction(
  { db }: ModelDatabase,
  name: string,
  planted: readonly Planted[],
): Promise<() => Promise<void>> {
  const [row] = await db.$queryRaw<{ source: string }[]>`SELECT pg_get_functiondef(${name}::regproc) AS source`;
  const source = row?.source ?? '';
  let wrong = source;
  for (const { from, to } of planted) {
    if (!source.includes(from)) throw new Error(`the function ${name} does not contain: ${from}`);
    wrong = wrong.replaceAll(from, to);
  }
  await db.$executeRawUnsafe(wrong);
  return async () => void (await db.$executeRawUnsafe(source));
}

/** Access to the database that can lose answers and can make statements wrong. */
export interface FaultyDatabase {
  db: Db;
  hot: HotDb;
  /** The next `count` statements of the hot path take effect, but their caller gets an error. */
  loseAnswers(count: number): void;
}

export function faultyDatabase(database: ModelDatabase, planted: Planted | null, onLost: () => void): FaultyDatabase {
  const rewrite: Rewrite = planted ? createRewrite(planted) : (statement, values) => [statement, ...values];
  let toLose = 0;
  return {
    db: planted ? rewriting(database.db, rewrite) : database.db,
    hot: {
      async query<Row>(statement: TemplateStringsArray, ...values: readonly unknown[]) {
        const rows = await database.hot.query<Row>(...rewrite(statement, values));
        if (toLose <= 0) return rows;
        toLose--;
        onLost();
        throw new Error('Connection terminated unexpectedly');
      },
      close: () => database.hot.close(),
    },
    loseAnswers(count) {
      toLose = count;
    },
  };
}

type Rewrite = (
  statement: TemplateStringsArray,
  values: readonly unknown[],
) => [TemplateStringsArray, ...(readonly unknown[])];

/** Each statement is rewritten once, because the hot path identifies statements by reference. */
function createRewrite({ from, to }: Planted): Rewrite {
  const known = new Map<TemplateStringsArray, TemplateStringsArray>();

  function replaced(statement: TemplateStringsArray): TemplateStringsArray {
    const parts = statement.map((part) => part.replaceAll(from, to));
    const made = known.get(statement) ?? Object.assign(parts, { raw: parts });
    known.set(statement, made);
    return made;
  }

  return (statement, values) => [
    statement.some((part) => part.includes(from)) ? replaced(statement) : statement,
    ...values.map((value) =>
      value instanceof Sql && value.strings.some((part) => part.includes(from))
        ? new Sql(
            value.strings.map((part) => part.replaceAll(from, to)),
            value.values,
          )
        : value,
    ),
  ];
}

/** Returns the client with every statement rewritten, in transactions too. */
function rewriting<T extends object>(client: T, rewrite: Rewrite): T {
  return new Proxy(client, {
    get(target, name) {
      const own: unknown = Reflect.get(target, name);
      if (typeof own !== 'function') return own;
      if (name === '$queryRaw' || name === '$executeRaw') {
        return (statement: TemplateStringsArray, ...values: unknown[]) =>
          own.call(target, ...rewrite(statement, values));
      }
      if (name === '$transaction') {
        return (work: unknown, options: unknown) =>
          own.call(target, typeof work === 'function' ? (tx: object) => work(rewriting(tx, rewrite)) : work, options);
      }
      return own.bind(target);
    },
  });
}
