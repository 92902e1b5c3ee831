import type { Database } from "@sonde/kit/postgres/database";

/**
 * The audit log, partitioned by month to drop old entries without a scan. No foreign keys: the audit outlives users and
 * keys.
 */
export const auditMigration = {
  up: (trx: Database): Promise<unknown> =>
    trx.raw(`
      create table audit (
        id uuid not null,
        at_ms bigint not null,
        user_id integer,
        username text not null,
        key_id integer,
        address text,
        request_id text not null,
        action text not null,
        target_type text not null,
        target_id text not null,
        target_name text not null,
        changes json not null,
        is_cut boolean not null,
        primary key (at_ms, id)
      ) partition by range (at_ms);
      create index audit_of_target on audit (target_type, target_id, at_ms);
      create index audit_of_user on audit (username, at_ms);
      create index audit_of_key on audit (key_id, at_ms) where key_id is not null;
    `),
};
