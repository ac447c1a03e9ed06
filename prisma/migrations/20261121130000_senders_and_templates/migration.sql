-- Who an organization may send as, and the texts that it has stored.

CREATE TABLE domains (
  id uuid PRIMARY KEY,
  org_id uuid NOT NULL,
  domain text NOT NULL,
  token text NOT NULL,
  verified_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT domains_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX domains_org_id_domain_key ON domains (org_id, domain);
CREATE INDEX domains_org_id_created_at_id_idx ON domains (org_id, created_at DESC, id DESC);

CREATE TABLE sender_ids (
  id uuid PRIMARY KEY,
  org_id uuid NOT NULL,
  sender_id text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT sender_ids_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX sender_ids_org_id_sender_id_key ON sender_ids (org_id, sender_id);
CREATE INDEX sender_ids_org_id_created_at_id_idx ON sender_ids (org_id, created_at DESC, id DESC);

CREATE TYPE template_kind AS ENUM ('email', 'sms', 'pdf');

CREATE TABLE templates (
  id uuid PRIMARY KEY,
  org_id uuid NOT NULL,
  name text NOT NULL,
  kind template_kind NOT NULL,
  subject text,
  body text NOT NULL,
  variables text[],
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT templates_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX templates_org_id_kind_name_key ON templates (org_id, kind, name);
CREATE INDEX templates_org_id_created_at_id_idx ON templates (org_id, created_at DESC, id DESC);
