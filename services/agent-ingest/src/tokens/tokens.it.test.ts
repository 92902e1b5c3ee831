import { AppError } from "@sonde/kit/errors";
import type { Service } from "@sonde/kit/service/lifecycle";
import { type Handlers, serve } from "@sonde/kit/bus/rpc";
import type { User as Account } from "@sonde/proto/http/users";
import { authContract } from "@sonde/proto/rpc/auth";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { openTestbed, registration, type AgentsTestbed } from "../testing/service.ts";

type User = Pick<Account, "status" | "role">;

let bed: AgentsTestbed;
let auth: Service;
const users = new Map<number, User>();
const serveAuth = () =>
  serve(bed.bus, authContract, {
    getUser: async ({ id }, { actor }) => {
      expect(actor?.id).toBe(id);
      const user = users.get(id);
      if (user === undefined) throw new AppError("not_found", "User does not exist");
      return { id, username: "ugo", createdAt: "2026-01-31T12:00:00.000Z", ...user };
    },
  } as Partial<Handlers<typeof authContract>> as Handlers<typeof authContract>);

beforeAll(async () => {
  bed = await openTestbed(inject("databaseUrl"));
  await bed.start();
  auth = await serveAuth();
});
afterAll(async () => {
  await auth.stop();
  await bed.stop();
});
beforeEach(() => void users.set(2, { status: "active", role: "user" }));

const call = { requestId: "r", actor: { id: 2, username: "ugo", role: "user" as const } };
const make = (request: { name?: string; agentId?: number } = {}) => bed.agents.createToken(request, { call });
const register = (token: string) => bed.post("/agent/v1/register", registration(token));
const names = async () => (await bed.agents.listTokens({})).tokens.map(({ name }) => name);

describe("open tokens", () => {
  test("are listed newest first, without their text, until they are used or have expired", async () => {
    const first = await make({ name: "first" });
    const { id } = await bed.register();
    const second = await make({ name: "second", agentId: id });
    await bed.agents.createToken({ name: "expired", expiresInHours: 1e-7 }, { call });
    const { tokens, total } = await bed.agents.listTokens({});
    expect(total).toBe(2);
    expect(tokens).toMatchObject([
      { name: "second", createdBy: "ugo", agent: { id, name: "web-1" }, expiresAt: second.expiresAt },
      { name: "first", createdBy: "ugo", expiresAt: first.expiresAt },
    ]);
    expect(JSON.stringify(tokens)).not.toContain(first.token);
    expect((await register(first.token)).status).toBe(201);
    expect(await names()).toEqual(["second"]);
  });

  test("are created once per Idempotency-Key, which returns the same text again", async () => {
    const repeated = { ...call, idempotency: { id: "key", request: "a", sealKey: "k".repeat(43) } };
    const once = () => bed.agents.createToken({ name: "once" }, { call: repeated });
    const first = await once();
    expect(await once()).toEqual(first);
    expect((await names()).filter((name) => name === "once")).toHaveLength(1);
    expect((await register(first.token)).status).toBe(201);
  });

  test("can be revoked once, and then register no agent", async () => {
    const { token } = await make({ name: "revoked" });
    const { id } = (await bed.agents.listTokens({})).tokens[0]!;
    await bed.agents.revokeToken({ id });
    expect(await names()).not.toContain("revoked");
    expect((await register(token)).body["message"]).toBe("The registration token is not valid");
    await expect(bed.agents.revokeToken({ id })).rejects.toMatchObject({ code: "not_found" });
    await expect(bed.agents.revokeToken({ id: 4_000_000_000 })).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("a token whose creator was", () => {
  test.each<[string, User | null]>([
    ["deleted", null],
    ["disabled", { status: "disabled", role: "user" }],
    ["made a viewer", { status: "active", role: "viewer" }],
  ])("%s registers no agent, even after the creator is back", async (_what, user) => {
    const { token } = await make({ name: "orphan" });
    const other = await make();
    if (user === null) users.delete(2);
    else users.set(2, user);
    expect((await register(token)).status).toBe(401);
    users.set(2, { status: "active", role: "user" });
    expect((await register(token)).status).toBe(401);
    expect((await register(other.token)).status).toBe(401);
  });

  test("deleted is no longer listed", async () => {
    await make({ name: "orphan" });
    await bed.agents.createToken({ name: "of before" });
    users.delete(2);
    expect(await names()).not.toContain("orphan");
    expect(await names()).toContain("of before");
  });

  test("deleted does not shorten the list, even with further expired tokens", async () => {
    await make({ name: "orphan" });
    for (const name of ["one", "two", "three"]) {
      await bed.agents.createToken({ name, expiresInHours: 1e-7 }, { call });
    }
    const others = (await bed.agents.listTokens({})).total - 1;
    users.delete(2);
    const { tokens, total } = await bed.agents.listTokens({});
    expect([tokens.length, total]).toEqual([others, others]);
  });

  test("deleted ends at once if auth reports it", async () => {
    const { token } = await make();
    await bed.agents.revokeTokensOf({ userId: 2 });
    expect((await register(token)).status).toBe(401);
  });

  test("last seen before auth became unavailable is rejected until auth is back", async () => {
    const { token } = await make({ name: "later" });
    await auth.stop();
    expect((await register(token)).status).toBe(503);
    expect(await names()).toContain("later");
    auth = await serveAuth();
    expect((await register(token)).status).toBe(201);
  });
});
