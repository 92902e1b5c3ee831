import { create, toBinary } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { ReportSchema } from "@sonde/proto/gen/agents/v1/samples";
import { reportAnswer } from "@sonde/proto/http/agents/agents";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { eventually } from "./testing/eventually.ts";
import { openTestbed, registration, sampleOf, type AgentsTestbed } from "./testing/service.ts";

let bed: AgentsTestbed;
beforeAll(async () => {
  bed = await openTestbed(inject("databaseUrl"));
  await bed.start();
});
afterAll(() => bed.stop());

let id: number;
let key: string;
beforeEach(async () => void ({ id, key } = await bed.register()));

const { token: _token, interval: _interval, ...registered } = registration("");
const agent = () => bed.agents.getAgent({ id });

describe("facts of a host", () => {
  test("are updated by a report, without a new registration", async () => {
    expect(await agent()).toMatchObject(registered);
    const host = { hostname: "web-1b", ipAddresses: ["192.0.2.8"], os: "Debian 13", version: "2.0.0" };
    const answer = await bed.report(key, { samples: [sampleOf()], host: { ...host, unheardOf: 1 } });
    expect(answer.status).toBe(200);
    expect(reportAnswer.parse(answer.body)).toEqual(answer.body);
    expect(await agent()).toMatchObject({ ...host, name: "web-1" });
    const upgraded = { ...host, version: "2.1.0" };
    const report = { samples: [{ at: timestampFromMs(Date.now()) }], host: upgraded };
    const bytes = toBinary(ReportSchema, create(ReportSchema, report));
    expect((await bed.post("/agent/v1/report", bytes, { key, type: "application/x-protobuf" })).status).toBe(200);
    expect(await agent()).toMatchObject(upgraded);
  });

  test("are written only if they changed", async () => {
    const before = await agent();
    await bed.report(key, { samples: [sampleOf()], host: registered });
    expect((await agent()).updatedAt).toBe(before.updatedAt);
    await bed.report(key, { samples: [sampleOf()], host: { ...registered, version: "1.2.4" } });
    const after = await agent();
    expect(after.version).toBe("1.2.4");
    expect(after.updatedAt > before.updatedAt).toBe(true);
  });

  test("never fail a report: invalid ones are listed and ignored", async () => {
    const host = { ...registered, hostname: "a\0b", version: 3 };
    const answer = await bed.report(key, { samples: [sampleOf()], host });
    expect([answer.status, answer.body["accepted"]]).toEqual([200, 1]);
    expect(answer.body["rejected"]).toEqual([
      { path: "host.hostname", message: "This value is not valid" },
      { path: "host.version", message: "Please enter text" },
    ]);
    expect(await agent()).toMatchObject(registered);
    expect(answer.body).not.toHaveProperty("resendHost");
  });
});

describe("a key that two machines use", () => {
  const boot = async (bootId: string, withKey = key) => {
    const before = (await agent()).lastSeen ?? "";
    await eventually(async () => {
      expect((await bed.report(withKey, { samples: [sampleOf({ bootId })] })).status).toBe(200);
      expect(((await agent()).lastSeen ?? "") > before).toBe(true);
    });
  };

  test("is reported when samples return to an earlier boot, not after a reboot, until the agent is registered again", async () => {
    await boot("a");
    await boot("b");
    expect((await agent()).duplicateKey).toBe(false);
    await boot("a");
    await eventually(async () => expect((await agent()).duplicateKey).toBe(true));

    const { registeredAt = "" } = await agent();
    const { token } = await bed.agents.createToken({ agentId: id });
    const answer = await bed.post("/agent/v1/register", registration(token));
    expect([answer.status, answer.body["agentId"]]).toEqual([201, id]);
    const after = await agent();
    expect(after.duplicateKey).toBe(false);
    expect((after.registeredAt ?? "") > registeredAt).toBe(true);
    expect((await bed.report(key, { samples: [sampleOf()] })).status).toBe(401);
    await boot("b", String(answer.body["key"]));
    expect((await agent()).duplicateKey).toBe(false);
  });
});
