-- The receivers of events whose latest attempt was accepted soon. All others get few attempts at a time, so a missing row does no harm.
CREATE TABLE "good_receivers" (
    "org_id" UUID NOT NULL,
    "receiver" TEXT NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "good_receivers_pkey" PRIMARY KEY ("org_id", "receiver"),
    CONSTRAINT "good_receivers_org_id_fkey" FOREIGN KEY ("org_id") REFERENCES "organizations" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "good_receivers_since_idx" ON "good_receivers" ("since");
