import { AppError } from "@sonde/kit/errors";
import { orUnavailable } from "@sonde/kit/postgres/database";
import type { Context } from "../context.ts";
import { deleteOpenToken, deleteTokensOf } from "./store.ts";

/** Ends an open token: it is refused from now on. @throws AppError not_found */
export async function revokeToken({ db, clock }: Pick<Context, "db" | "clock">, { id }: { id: number }): Promise<void> {
  if (await orUnavailable(() => deleteOpenToken(db, id, clock.now()))) return;
  throw new AppError("not_found", "The registration token does not exist, was used or has expired");
}

/** Ends every open token that a user made. */
export async function revokeTokensOf({ db }: Pick<Context, "db">, { userId }: { userId: number }): Promise<void> {
  await orUnavailable(() => deleteTokensOf(db, [userId]));
}
