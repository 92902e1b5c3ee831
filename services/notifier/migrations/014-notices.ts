import type { Database } from "@sonde/kit/postgres/database";

/** Messages to a person that are about no incident, and when a schedule's person changes. */
export const noticesMigration = {
  up: (trx: Database): Promise<unknown> =>
    trx.raw(`
      alter table schedules
        -- When somebody else is on call next. Null until it is first computed; 0 after a change of the schedule.
        add column handoff_at_ms bigint,
        -- Who was on call last.
        add column handed_to integer;
      -- What it is about (on-call/notices.ts). Null for messages with alerts, and for mails.
      alter table messages add column notice jsonb;
      create index notices on messages (created_at_ms) where notice is not null;
    `),
};
