import type { Database } from "@sonde/kit/postgres/database";

/** Notes that subscribers are to be told of an update, in the transaction that adds it. */
export async function tellUpdate(
  _trx: Database,
  _update: { announcementId: number; updateId: number; nowMs: number },
): Promise<void> {}
