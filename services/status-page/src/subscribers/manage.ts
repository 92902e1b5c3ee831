import { AppError } from "@sonde/kit/errors";
import type { ListSubscribersRequest } from "@sonde/proto/gen/status/v1/status";
import type { Context } from "../context.ts";
import * as store from "./store.ts";
import type { StoredSubscriber } from "./subscriber.ts";

/** A page of subscribers, newest first. */
export const listSubscribers = (
  { db }: Context,
  { page, pageSize, search }: ListSubscribersRequest,
): Promise<{ subscribers: StoredSubscriber[]; total: number }> =>
  store.listSubscribers(db, { page: Math.max(1, page), pageSize: Math.min(200, pageSize), search });

/** Deletes one, whose mails that were not sent yet go too. @throws AppError `not_found` */
export async function deleteSubscriber({ db }: Context, id: number): Promise<void> {
  // PostgreSQL's largest integer; no id is greater.
  const isDeleted = id <= 2_147_483_647 && (await store.deleteById(db, id));
  if (!isDeleted) throw new AppError("not_found", "Subscriber does not exist");
}
