import { AppError } from "@sonde/kit/errors";
import type { Context } from "../context.ts";
import * as store from "./store.ts";
import { tokenHash } from "./tokens.ts";

/**
 * Confirms a subscription, or the change of one, by the token that was mailed; a second time is fine.
 * @throws AppError `invalid`: no such token, or too old
 */
export async function confirmSubscription({ db, clock }: Context, token: string): Promise<void> {
  if (!(await store.confirmByHash(db, tokenHash(token), clock.now()))) {
    throw new AppError("invalid", "This link is not valid, or too old");
  }
}

/** Ends a subscription by the token of its mails. An unknown one is no fault: it was ended before. */
export async function unsubscribe({ db }: Context, token: string): Promise<void> {
  await store.deleteByHash(db, tokenHash(token));
}
