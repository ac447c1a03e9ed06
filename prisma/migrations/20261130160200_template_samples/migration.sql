-- Example data of a template, for previews and test sends. A constant default changes no row.
ALTER TABLE "templates" ADD COLUMN "sample" JSON NOT NULL DEFAULT '{}';
