import { AppError } from "@sonde/kit/errors";
import type { CreateServiceAccountInput, serviceAccount } from "@sonde/proto/http/keys";
import type { z } from "zod";
import { type Context, record, requireAdmin } from "../context.ts";
import { changeSessions } from "../sessions/change.ts";
import { type Account, presentUser, userAuditTarget } from "../users/store.ts";

type ServiceAccount = z.infer<typeof serviceAccount>;

export async function listServiceAccounts(ctx: Context): Promise<ServiceAccount[]> {
  requireAdmin(ctx);
  return (await ctx.store.users.listServices()).map(presentService);
}

/** Admins only. @throws AppError `conflict` (name taken) */
export async function createServiceAccount(ctx: Context, input: CreateServiceAccountInput): Promise<ServiceAccount> {
  const actor = requireAdmin(ctx);
  const fields = {
    username: input.name,
    email: null,
    emailVerified: false,
    role: input.role,
    status: "active",
  } as const;
  await ctx.store.users.refuseTaken(fields);
  const rest = { kind: "service", passwordHash: null, createdAtMs: ctx.clock.now() } as const;
  const account = await ctx.store.transaction(async (tx) => {
    const made = await tx.users.insert({ ...fields, ...rest });
    await record(tx, { action: "create", target: userAuditTarget(made), after: presentUser(made) });
    return made;
  });
  ctx.log.info({ userId: account.id, actorId: actor.id }, "service account created");
  return presentService({ ...account, keys: 0 });
}

/** The account's keys stop working before this resolves. Admins only. @throws AppError `not_found` */
export async function deleteServiceAccount(ctx: Context, { id }: { id: number }): Promise<void> {
  const actor = requireAdmin(ctx);
  if (!(await ctx.store.users.isService(id))) throw new AppError("not_found", "Service account does not exist");
  await changeSessions(ctx, async ({ users, audit, endAll }) => {
    const before = await users.lock(id);
    await endAll(id);
    await users.delete(id);
    if (before !== undefined)
      await record({ audit }, { action: "delete", target: userAuditTarget(before), before: presentUser(before) });
  });
  ctx.log.info({ userId: id, actorId: actor.id }, "service account deleted");
}

const presentService = ({ id, username, role, createdAtMs, keys }: Account & { keys: number }): ServiceAccount => ({
  id,
  username,
  role,
  createdAt: new Date(createdAtMs).toISOString(),
  keys,
});
