import { parseInput } from "@sonde/kit/bus/rpc";
import { createPasswords } from "@sonde/kit/passwords";
import { openDatabase } from "@sonde/kit/postgres/database";
import { silentLog } from "@sonde/kit/service/log";
import { createUserInput } from "@sonde/proto/http/users";
import { schemaOf } from "@sonde/proto/services";
import { randomBytes } from "node:crypto";
import { migrations } from "../../migrations/index.ts";
import { maintainMonths } from "../audit/months.ts";
import { createStore, record } from "../context.ts";
import { presentUser, userAuditTarget } from "../users/store.ts";

/** Longer than any allowed retention: this command drops nothing. */
const retentionDays = 3650;
const by = { username: "recover-admin" };

export type RecoveredAdmin = { username: string; password: string; isNew: boolean };

/**
 * Resets an administrator's password, factors and sessions, or creates the account if it does not exist. Needs only the
 * database; a running Sonde ends the sessions within a minute.
 * @param username defaults to the oldest administrator
 * @throws AppError `invalid`, `conflict`
 */
export async function recoverAdmin(databaseUrl: string, username?: string): Promise<RecoveredAdmin> {
  const db = await openDatabase({
    url: databaseUrl,
    schema: schemaOf("auth"),
    migrations,
    log: silentLog,
    camelCase: true,
  });
  try {
    const nowMs = Date.now();
    await maintainMonths(db, nowMs, retentionDays);
    const password = randomBytes(15).toString("base64url");
    const passwords = await createPasswords("auth");
    const passwordHash = await passwords.inTurn("recover-admin", ({ hash }) => hash(password));
    return await createStore(db).transaction(async (tx) => {
      const { users, sessions, factors, tickets } = tx;
      await users.lockAll();
      const found = await (username === undefined ? users.firstAdmin() : users.byName(username));
      const active = { role: "admin", status: "active" } as const;
      if (found === undefined) {
        const { username: name } = parseInput(createUserInput.pick({ username: true }), {
          username: username ?? "admin",
        });
        const fields = { username: name, email: null, emailVerified: false, ...active };
        await users.refuseTaken(fields);
        const made = await users.insert({ ...fields, passwordHash, createdAtMs: nowMs });
        await record(tx, { action: "create", target: userAuditTarget(made), after: presentUser(made), by });
        return { username: made.username, password, isNew: true };
      }
      const before = (await users.lock(found.id)) ?? found;
      const { id, createdAtMs: _createdAtMs, ...fields } = before;
      const changed = await users.update(id, { ...fields, ...active });
      const removed = await factors.ofUser(before.id);
      await users.setPassword(before.id, passwordHash);
      await factors.deleteOfUser(before.id);
      await tickets.deleteOfUser(before.id);
      await sessions.deleteLogins(before.id);
      await record(tx, {
        action: "password",
        target: userAuditTarget(changed),
        before: { ...presentUser(before), factors: removed.map(({ name }) => name) },
        after: { ...presentUser(changed), factors: [] },
        by,
      });
      return { username: changed.username, password, isNew: false };
    });
  } finally {
    await db.destroy();
  }
}

export const recoverCommand = "recover-admin";

export const describeRecovered = ({ username, password, isNew }: RecoveredAdmin): string =>
  `${isNew ? "New administrator" : "Administrator"}: ${username}\nPassword: ${password}\n` +
  "Log in with it and change it. Second factors of this account were removed; sessions of before end within a minute.\n";
