import { afterAll, beforeAll, expect, test } from "vitest";
import { depsOf, enter, freshAddress, join, startAuth, type TestAuth } from "../testing/service.ts";
import { createDoubt, startBucketSync } from "../sessions/bucket-sync.ts";
import { describeRecovered, recoverAdmin } from "./recover-admin.ts";

let service: TestAuth;
beforeAll(async () => void (service = await startAuth()));
afterAll(() => service.stop());

const logIn = (username: string, password: string) =>
  service.auth.login({ username, password, address: freshAddress() });
const auditOf = (id: number) =>
  service
    .db("audit")
    .where({ target_type: "user", target_id: String(id), username: "recover-admin" })
    .select<{ action: string; changes: { path: string; from?: unknown; to?: unknown }[] }[]>("*");

test("without accounts, recovery creates an administrator whose password is shown once", async () => {
  const made = await recoverAdmin(service.databaseUrl);
  expect(made).toMatchObject({ username: "admin", isNew: true });
  expect(describeRecovered(made)).toContain(made.password);
  const { user } = await logIn("admin", made.password);
  expect(user).toMatchObject({ role: "admin", status: "active" });
  expect(await auditOf(user!.id)).toMatchObject([{ action: "create" }]);
  expect(JSON.stringify([await service.db("audit"), await service.db("users")])).not.toContain(made.password);
});

test("recovery resets an administrator's password, ends factors and sessions, and is audited", async () => {
  const first = await recoverAdmin(service.databaseUrl);
  const { tokenHash, token } = await enter(service, "admin", first.password);
  const { id } = (await logIn("admin", first.password)).user!;
  const row = { userId: id, type: "totp", name: "My phone", createdAtMs: 1, sealedSecret: "s", lastStep: 1 };
  await service.db("factors").insert(row);
  const made = await recoverAdmin(service.databaseUrl, "ADMIN");
  expect(made).toMatchObject({ username: "admin", isNew: false });
  expect((await logIn("admin", made.password)).token).toEqual(expect.any(String));
  await expect(logIn("admin", first.password)).rejects.toMatchObject({ code: "unauthenticated" });
  await expect(service.auth.resolveSession({ tokenHash })).rejects.toMatchObject({ code: "not_found" });
  // The comparison ends it in the gateways.
  const sync = await startBucketSync(service.bus, await depsOf(service), createDoubt());
  await sync.stop();
  expect(await service.inBucket(token)).toBe(false);
  const entries = await auditOf(id);
  expect(entries.at(-1)?.changes).toContainEqual({ path: "factors", from: ["My phone"], to: [] });
});

test("recovery restores a disabled or demoted administrator, and creates one under a new name", async () => {
  const { user } = await join(service, "ben");
  await service.db("users").where({ id: user.id }).update({ status: "disabled" });
  const made = await recoverAdmin(service.databaseUrl, "ben");
  expect((await logIn("ben", made.password)).user).toMatchObject({ id: user.id, role: "admin", status: "active" });
  expect(await recoverAdmin(service.databaseUrl, "carla")).toMatchObject({ username: "carla", isNew: true });
  await expect(recoverAdmin(service.databaseUrl, " carla")).rejects.toMatchObject({ code: "invalid" });
});
