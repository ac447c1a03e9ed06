import { defineConfig } from 'prisma/config';

// Only the Prisma command line reads this file; the apps take DATABASE_URL from their own configuration.
export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: process.env.DATABASE_URL ?? '' },
});
