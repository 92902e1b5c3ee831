import type { Database } from "@sonde/kit/postgres/database";

/** The notifier now sends mails; rows record which ones it has. */
export const handedMailsMigration = {
  up: (trx: Database): Promise<unknown> =>
    trx.raw(`
      -- The notifier's channel; 0 if the notifier does not have the mail yet. Null if the previous version sends or
      -- sent it.
      alter table mails add column handed_to integer;
      create index mails_to_hand_over on mails (rank, id) where handed_to = 0;
      create index mails_by_end on mails (gives_up_at_ms) where handed_to is not null;
      create index mails_by_key on mails (key);
      create index page_mails_by_key on page_mails (key);
    `),
};
