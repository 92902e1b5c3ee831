import type { Database } from "@sonde/kit/postgres/database";

/**
 * The mail address of an account that is known to be its owner's. A key rather than a flag, since a replica of the version
 * before changes addresses without it: the address then differs from what was verified. Of addresses that are there already
 * those count that the audit says another person set, so an administrator, and those of administrators.
 */
export const verifiedMailMigration = {
  up: (trx: Database): Promise<unknown> =>
    trx.raw(`
      alter table users add column verified_email_key text;

      update users set verified_email_key = email_key
      where kind = 'person' and email_key is not null and (
        role = 'admin' or users.id <> (
          select audit.user_id from audit, json_array_elements(audit.changes) as change
          where target_type = 'user' and target_id = users.id::text
            and change ->> 'path' = 'email' and change ->> 'to' = users.email
          order by at_ms desc limit 1
        )
      );
    `),
};
