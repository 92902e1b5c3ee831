import type { Database } from "@sonde/kit/postgres/database";

/** Mails of other services, which are messages of a channel without alerts. */
export const mailsMigration = {
  up: (trx: Database): Promise<unknown> =>
    trx.raw(`
      alter table messages
        -- Null for messages with alerts.
        add column mail_kind text,
        -- Lower ranks are sent first.
        add column mail_rank integer not null default 0;
      create index messages_mails on messages (channel_id, mail_rank, id)
        where status = 'pending' and mail_kind is not null;
      create index messages_mails_by_age on messages (created_at_ms) where mail_kind is not null;
    `),
};
