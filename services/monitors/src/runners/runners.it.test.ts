import { fromBinary } from "@bufbuild/protobuf";
import { connectBus } from "@sonde/kit/bus/connect";
import { watchBucket } from "@sonde/kit/bus/follow";
import { type Database, openDatabase } from "@sonde/kit/postgres/database";
import { secretBox, secretContexts } from "@sonde/kit/secrets";
import { silentLog } from "@sonde/kit/service/log";
import { MonitorDefinitionSchema } from "@sonde/proto/gen/monitors/v1/definitions";
import { runnerProtocol } from "@sonde/proto/http/monitors/runners";
import { inboxPrefix, runnerUser } from "@sonde/proto/permissions";
import { buckets, definitionKey, definitionsOf } from "@sonde/proto/streams";
import { subjects } from "@sonde/proto/subjects";
import { connect, type NodeConnectionOptions } from "@nats-io/transport-node";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { migrations } from "../../migrations/index.ts";
import { eventually } from "../testing/eventually.ts";
import { inputOf } from "../testing/fields.ts";
import { openTestbed, type MonitorsTestbed } from "../testing/service.ts";

let bed: MonitorsTestbed;
let db: Database;
beforeAll(async () => {
  bed = await openTestbed(inject("databaseUrl"), {}, { withUsers: true });
  db = await openDatabase({ url: inject("databaseUrl"), schema: bed.schema, log: silentLog, migrations });
  for (const location of ["eu1", "us1"]) await bed.serveProbes(location, () => ({ status: "up" }));
  await bed.start();
  await eventually(async () => {
    const { locations } = await bed.monitors.listLocations({});
    if (locations.length < 3) throw new Error("some locations are not served yet");
  });
});
afterAll(async () => {
  await db.destroy();
  await bed.stop();
});

const program = { version: "1.0.0", protocol: runnerProtocol };
const tokenFor = async (location: string) => (await bed.monitors.createRunnerToken({ location })).token;
const register = async (location: string, name = "runner") =>
  bed.monitors.registerRunner({ token: await tokenFor(location), name, ...program });

const optionsOf = (key: string, location: string): NodeConnectionOptions => ({
  servers: bed.natsUrl,
  user: "runner",
  pass: key,
  inboxPrefix: inboxPrefix(runnerUser(location)),
  reconnect: false,
});

/** The sealed texts of a monitor's definition at a location. */
async function sealedAt(location: string, id: number): Promise<string[]> {
  const entry = await (await bed.bus.kv(buckets.definitions)).get(definitionKey(location, id));
  const { spec } = fromBinary(MonitorDefinitionSchema, entry?.value ?? new Uint8Array());
  return [...(spec?.check ?? "").matchAll(/"sealed":"([^"]+)"/g)].map(([, text = ""]) => text);
}
const opensWith = (keys: string, sealed: readonly string[]) => {
  try {
    const box = secretBox({ SONDE_KEY_CHECK: keys });
    return sealed.map((text) => box.open(text, secretContexts.check));
  } catch {
    return null;
  }
};
const secretMonitor = (name: string, locations: string[]) => {
  const headers = [{ name: "Authorization", value: "the secret" }];
  return { monitor: inputOf({ name, url: "https://example.com/", locations, headers }) };
};

test("a token registers one runner, within 24 hours, at the installation that created it", async () => {
  const token = await tokenFor("eu1");
  const registered = await bed.monitors.registerRunner({ token, name: "cellar", ...program });
  expect(registered).toMatchObject({ location: "eu1", version: expect.stringMatching(/^\d/) });

  const refused = (given: string) => bed.monitors.registerRunner({ token: given, name: "cellar", ...program });
  await expect(refused(token)).rejects.toThrow("The registration token has already been used");
  await expect(refused("token-of-another-sonde")).rejects.toThrow("The registration token is not valid");
  const late = await tokenFor("eu1");
  await db("runner_tokens")
    .whereNull("used_at_ms")
    .update({ expires_at_ms: Date.now() - 1 });
  await expect(refused(late)).rejects.toThrow("The registration token has expired");
});

test("the refusal of a runner with another protocol names the version it needs", async () => {
  const token = await tokenFor("eu1");
  const other = { token, name: "old", version: "0.1.0", protocol: runnerProtocol + 1 };
  await expect(bed.monitors.registerRunner(other)).rejects.toThrow(/install the runner of Sonde \d/);
  // The token was not used.
  expect(await bed.monitors.registerRunner({ token, name: "new", ...program })).toMatchObject({ location: "eu1" });
});

test("a runner can read its location's definitions and publish its results, and nothing else", async () => {
  const { key } = await register("eu1");
  const nc = await connect(optionsOf(key, "eu1"));
  try {
    const denied = async (attempt: () => unknown): Promise<string> => {
      const seen = (async () => {
        for await (const status of nc.status()) if (status.type === "error") return status.error.message;
        return "closed";
      })();
      await attempt();
      await nc.flush();
      return seen;
    };
    const other = "$KV.definitions.us1.7";
    const consumer = "$JS.API.CONSUMER.CREATE.KV_definitions.mine";
    const attempts: [string, () => unknown][] = [
      ["Publish", () => nc.publish(subjects.results(3, "us1"))],
      ["Publish", () => nc.publish(`${consumer}.${definitionsOf("us1")}`)],
      ["Publish", () => nc.publish(consumer)],
      ["Publish", () => nc.publish(`$JS.API.DIRECT.GET.KV_definitions.${other}`)],
      ["Publish", () => nc.publish("$JS.API.STREAM.MSG.GET.KV_definitions")],
      ["Publish", () => nc.publish("$KV.definitions.eu1.7")],
      ["Publish", () => nc.publish(subjects.heartbeats("runners.us1"))],
      ["Publish", () => nc.publish(subjects.rpc("monitors", "listMonitors"))],
      ["Subscription", () => nc.subscribe(">")],
      ["Subscription", () => nc.subscribe("results.>")],
      ["Subscription", () => nc.subscribe("_INBOX.monitors.>")],
      ["Subscription", () => nc.subscribe(subjects.authCallout)],
      ["Subscription", () => nc.subscribe(subjects.rpc("probes", "*", "us1"))],
    ];
    for (const [what, attempt] of attempts)
      expect(await denied(attempt)).toContain(`Permissions Violation for ${what}`);
  } finally {
    await nc.close();
  }

  const { id } = await bed.monitors.createMonitor(secretMonitor("own", ["eu1"]));
  const bus = await connectBus({
    url: bed.natsUrl,
    name: "probe-runner",
    user: runnerUser("eu1"),
    log: silentLog,
    connect: (options) => connect({ ...options, ...optionsOf(key, "eu1") }),
  });
  const keys: string[] = [];
  const watching = watchBucket(bus, {
    bucket: buckets.definitions,
    keys: definitionsOf("eu1"),
    onEntry: (entry) => void keys.push(entry.key),
  });
  await eventually(async () => expect(keys).toContain(definitionKey("eu1", id)));
  await bus.js.publish(subjects.results(3, "eu1"), new Uint8Array());
  await watching.stop();
  await bus.close();
});

test("a location's keys open the checks of that location only, also those from before it had a remote runner", async () => {
  const { id } = await bed.monitors.createMonitor(secretMonitor("moved", ["us1"]));
  const checkKey = bed.keys.SONDE_KEY_CHECK ?? "";
  await eventually(async () => expect(opensWith(checkKey, await sealedAt("us1", id))).toEqual(["the secret"]));

  const remote = await register("us1");
  await eventually(async () => expect(opensWith(remote.keys, await sealedAt("us1", id))).toEqual(["the secret"]));
  const others = await register("eu1");
  expect(opensWith(others.keys, await sealedAt("us1", id))).toBeNull();
  expect(opensWith(remote.keys, [await sealedInDatabase(id)])).toBeNull();
});

async function sealedInDatabase(id: number): Promise<string> {
  const row = await db("monitors").where({ id }).first<{ config: object }>("config");
  return /"sealed":"([^"]+)"/.exec(JSON.stringify(row))?.[1] ?? "";
}

test("a check by hand reaches a remote runner sealed for its location", async () => {
  const requests: Record<string, unknown>[] = [];
  await bed.serveProbes("far1", ({ check }) => (requests.push(check), { status: "up" }));
  const { keys } = await register("far1");
  await eventually(async () =>
    expect((await bed.monitors.listLocations({})).locations).toContainEqual(
      expect.objectContaining({ name: "far1", runners: 1 }),
    ),
  );
  await bed.monitors.testMonitor(secretMonitor("far", ["far1"]));
  const sealed = [...JSON.stringify(requests[0]).matchAll(/"sealed":"([^"]+)"/g)].map(([, text = ""]) => text);
  expect(opensWith(keys, sealed)).toEqual(["the secret"]);
});

test("a revoked runner can neither start nor connect, and the others still can", async () => {
  const [gone, stays] = [await register("eu1", "gone"), await register("eu1", "stays")];
  const listed = async () =>
    (await bed.monitors.listLocations({})).locations.find(({ name }) => name === "eu1")?.remote?.runners ?? [];
  expect((await listed()).map(({ name }) => name)).toEqual(expect.arrayContaining(["gone", "stays"]));

  await bed.monitors.revokeRunner({ location: "eu1", id: gone.runnerId });
  expect((await listed()).map(({ name }) => name)).not.toContain("gone");
  await expect(bed.monitors.startRunner({ key: gone.key, ...program })).rejects.toThrow("was revoked");
  await eventually(() => expect(connect(optionsOf(gone.key, "eu1"))).rejects.toThrow("Authorization Violation"));
  await expect(bed.monitors.revokeRunner({ location: "us1", id: stays.runnerId })).rejects.toThrow("does not exist");
  expect(await bed.monitors.startRunner({ key: stays.key, ...program })).toMatchObject({ location: "eu1" });
  await (await connect(optionsOf(stays.key, "eu1"))).close();
});

test("a revoked token registers no runner, and tokens of other locations stay valid", async () => {
  const [first, second] = [await tokenFor("eu7"), await tokenFor("eu7")];
  const elsewhere = await tokenFor("eu8");
  const open = async (location: string) =>
    (await bed.monitors.listLocations({})).locations.find(({ name }) => name === location)?.remote?.openTokens;
  await bed.monitors.revokeRunnerTokens({ location: "eu7" });
  expect(await open("eu8")).toBe(1);
  expect(await open("eu7")).toBeUndefined();
  for (const token of [first, second])
    await expect(bed.monitors.registerRunner({ token, name: "late", ...program })).rejects.toThrow("expired");
  await expect(bed.monitors.revokeRunnerTokens({ location: "eu7" })).rejects.toThrow("no unused token");
  expect(await bed.monitors.registerRunner({ token: elsewhere, name: "fine", ...program })).toMatchObject({
    location: "eu8",
  });
});

test("twenty runners connect at once", async () => {
  const runners = await Promise.all(Array.from({ length: 20 }, () => register("eu1")));
  const connections = await Promise.all(runners.map(({ key }) => connect(optionsOf(key, "eu1"))));
  expect(connections).toHaveLength(20);
  await Promise.all(connections.map((nc) => nc.close()));
});

test("without the key for it, or without users on the bus, there are no remote runners", async () => {
  const open = await openTestbed(inject("databaseUrl"));
  await open.start();
  await expect(open.monitors.createRunnerToken({ location: "eu1" })).rejects.toThrow("requires passwords");
  await open.stop();
  const keyless = await openTestbed(inject("databaseUrl"), { SONDE_KEY_CALLOUT: "" }, { withUsers: true });
  await keyless.start();
  await expect(keyless.monitors.createRunnerToken({ location: "eu1" })).rejects.toThrow("SONDE_KEY_CALLOUT");
  await keyless.stop();
});
