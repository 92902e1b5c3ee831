import { call, collectEntries } from "@sonde/domain/testing/audit";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { eventually } from "./testing/eventually.ts";
import { type AgentsTestbed, openTestbed } from "./testing/service.ts";

let bed: AgentsTestbed;
let audit: ReturnType<typeof collectEntries>;
beforeAll(async () => {
  bed = await openTestbed(inject("databaseUrl"));
  await bed.start();
  audit = collectEntries(bed.bus);
});
afterAll(async () => {
  await audit.stop();
  await bed.stop();
});

test("changes by users of agents and tokens write audit entries without the token text", async () => {
  const by = { call };
  const { token, expiresAt } = await bed.agents.createToken({ name: "rack 1" }, by);
  const [open] = (await bed.agents.listTokens({})).tokens;
  const { id } = await bed.register();
  await bed.agents.updateAgent({ id, tags: ["prod"] }, by);
  await bed.agents.updateAgent({ id, tags: ["prod"] }, by);
  await expect(bed.agents.updateAgent({ id: 4711, name: "none" }, by)).rejects.toMatchObject({ code: "not_found" });
  await bed.agents.revokeToken({ id: open!.id }, by);
  await expect(bed.agents.revokeToken({ id: open!.id }, by)).rejects.toMatchObject({ code: "not_found" });
  await bed.agents.createToken({}, by);
  await bed.agents.revokeTokensOf({ userId: 7 }, by);
  await bed.agents.deleteAgent({ id }, by);

  await eventually(() => expect(audit.entries.at(-1)?.what).toBe(`delete agent:${id} web-1`));
  const [made, updated, ended, , ofPerson] = audit.entries;
  expect(JSON.stringify(audit.entries)).not.toContain(token);
  expect(audit.entries.map(({ what }) => what.replace(/:\d+/, ""))).toEqual([
    "create agent-token rack 1",
    "update agent web-1",
    "delete agent-token rack 1",
    "create agent-token",
    "delete agent-token",
    "delete agent web-1",
  ]);
  expect(made?.changes).toContainEqual({ path: "expiresAt", to: expiresAt });
  expect(updated).toEqual({
    what: `update agent:${id} web-1`,
    by: "ada",
    changes: [{ path: "tags", from: [], to: ["prod"] }],
  });
  expect(ended?.changes).toContainEqual({ path: "expiresAt", from: expiresAt });
  expect(ofPerson?.by).toBe("ada");
});
