import type { JsonObject, OrgId, TemplateKind } from '@jobline/contracts';
import { Prisma, type Template } from '../generated/client.js';
import type { DbSession } from '../postgres/client.js';
import { type Page, type PageRequest, readShortPage } from '../postgres/page.js';

/** The columns of a template in lists. */
export type TemplateSummaryRow = Pick<
  Template,
  'id' | 'name' | 'kind' | 'subject' | 'variables' | 'createdAt' | 'updatedAt'
>;

export type TemplateRow = TemplateSummaryRow & Pick<Template, 'body'> & { sample: JsonObject };

/** The content of a template, as its author gives it. */
export type TemplateContent = Pick<TemplateRow, 'name' | 'kind' | 'subject' | 'body' | 'variables'> & {
  /** Null: that of the replaced template; a new one then has none. */
  sample: JsonObject | null;
};

/** Throws a unique violation if the organization has a template of that kind and name. */
export async function createTemplate(db: DbSession, orgId: OrgId, content: TemplateContent): Promise<TemplateRow> {
  const data = { ...content, sample: content.sample ?? {}, orgId };
  // The cast: samples are objects.
  return (await db.template.create({ data, omit: { orgId: true } })) as TemplateRow;
}

/** Replaces the content of a template. Null if the organization has no such template. */
export async function replaceTemplate(
  db: DbSession,
  orgId: OrgId,
  id: string,
  content: TemplateContent,
): Promise<TemplateRow | null> {
  const rows = await db.$queryRaw<TemplateRow[]>`
    UPDATE templates SET name = ${content.name}, kind = ${content.kind}::template_kind, subject = ${content.subject},
      body = ${content.body}, variables = ${content.variables},
      sample = coalesce(${content.sample && JSON.stringify(content.sample)}::json, sample), updated_at = now()
    WHERE org_id = ${orgId}::uuid AND id = ${id}::uuid
    RETURNING id, name, kind::text AS kind, subject, body, variables, sample, created_at AS "createdAt",
      updated_at AS "updatedAt"`;
  return rows[0] ?? null;
}

export async function findTemplate(db: DbSession, orgId: OrgId, id: string): Promise<TemplateRow | null> {
  // The cast: samples are objects.
  return (await db.template.findFirst({ where: { orgId, id }, omit: { orgId: true } })) as TemplateRow | null;
}

export async function findTemplateByName(
  db: DbSession,
  orgId: OrgId,
  kind: TemplateKind,
  name: string,
): Promise<Omit<TemplateRow, 'sample'> | null> {
  return db.template.findFirst({ where: { orgId, kind, name }, omit: { orgId: true, sample: true } });
}

/** A page of an organization's templates, newest first, without their bodies. It ends early if their variables are large. */
export function listTemplates(db: DbSession, orgId: OrgId, page: PageRequest): Promise<Page<TemplateSummaryRow>> {
  return readShortPage(db, page, {
    // As JSON: the driver reads large arrays much more slowly.
    columns: Prisma.sql`id, name, kind::text AS kind, subject, to_json(variables) AS variables, created_at AS "createdAt",
      updated_at AS "updatedAt"`,
    from: Prisma.sql`templates WHERE org_id = ${orgId}::uuid`,
    bytes: Prisma.sql`octet_length(array_to_string(variables, ''))`,
  });
}
