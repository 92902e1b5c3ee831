import type { Database } from "@sonde/kit/postgres/database";

/** The notifier sends mails; here it is kept which of them it was given. */
export const handedMailsMigration = {
  up: (trx: Database): Promise<unknown> =>
    trx.raw(`
      -- The channel that the notifier sends it through; 0: the notifier does not have it yet. Null: the version before
      -- sends it, or has sent it.
      alter table mails add column handed_to integer;
      create index mails_to_hand_over on mails (rank, id) where handed_to = 0;
      create index mails_by_end on mails (gives_up_at_ms) where handed_to is not null;
      create index mails_by_key on mails (key);
      create index page_mails_by_key on page_mails (key);
    `),
};
