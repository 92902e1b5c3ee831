import type { Database } from "@sonde/kit/postgres/database";

/** Uploaded logos and icons. Pages refer to them by id in their configuration. */
export const pageImagesMigration = {
  up: (trx: Database): Promise<unknown> =>
    trx.raw(`
      create table page_images (
        id text primary key,
        type text not null,
        bytes bytea not null,
        uploaded_at_ms bigint not null
      );
    `),
};
