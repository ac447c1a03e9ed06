-- When the latest emails of test alerts were sent to an address: they do not use up those of real alerts.
ALTER TABLE "users" ADD COLUMN "test_mails" TIMESTAMPTZ(3)[] DEFAULT ARRAY[]::TIMESTAMPTZ(3)[];
