import type { Database } from "@sonde/kit/postgres/database";

/**
 * The verified email address of an account. It is a key rather than a flag because a replica of the previous version
 * changes addresses without updating this column, and the two then differ. Existing addresses count as verified if they
 * belong to an administrator, or if the audit shows that another user, and so an administrator, set them.
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
