import { connect } from "@nats-io/transport-node";
import { type BusUser, inboxPrefix } from "@sonde/proto/permissions";
import { buckets, definitionsOf } from "@sonde/proto/streams";
import { subjects } from "@sonde/proto/subjects";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type Bus, connectBus } from "./connect.ts";
import { followStream, watchBucket } from "./follow.ts";
import { silentLog } from "../service/log.ts";
import { type EmbeddedServer, startNats } from "@sonde/embedded/nats";
import { newUserPasswords } from "./nats-users.ts";

const passwords = newUserPasswords(["eu1", "us1"]);
let nats: EmbeddedServer;
let admin: Bus;

beforeAll(async () => {
  nats = await startNats({ password: "admin", users: passwords });
  admin = await connectBus({ url: nats.url, name: "admin", log: silentLog, shrink: 64 });
});
afterAll(async () => {
  await admin.close();
  await nats.stop();
});

const urlOf = (user: BusUser) => `nats://${user}:${passwords[user]}@127.0.0.1:${nats.port}`;

/** Responses to JetStream API calls of a user; none if the server rejects the publish. */
async function callAs(user: BusUser, calls: readonly (readonly [string, object])[]) {
  const nc = await connect({
    servers: nats.url,
    user,
    pass: passwords[user],
    inboxPrefix: inboxPrefix(user),
    noAsyncTraces: true,
  });
  const got: string[] = [];
  const inbox = `${inboxPrefix(user)}.delivered`;
  nc.subscribe(inbox, { callback: (_error, message) => void got.push(message.string()) });
  const answers: unknown[] = [];
  for (const [call, body] of calls) {
    const answer = nc.request(`$JS.API.${call}`, JSON.stringify(body).replaceAll("INBOX", inbox), { timeout: 10_000 });
    answers.push(
      await answer.then(
        (message) => ({ failed: message.string().includes('"error"'), text: message.string() }),
        (error: unknown) => (String(error).includes("Permissions Violation") ? "refused" : String(error)),
      ),
    );
  }
  await nc.flush();
  await nc.close();
  return { answers, got };
}

test("a runner reads its own location's definitions, and no API call gives it another's", async () => {
  const bucket = await admin.kv(buckets.definitions);
  await bucket.put("eu1.7", "of eu1");
  await bucket.put("us1.8", "of us1");
  const stream = "KV_definitions";
  const [own, theirs] = ["$KV.definitions.eu1.>", "$KV.definitions.us1.>"];
  const consumer = (config: object) => ({
    stream_name: stream,
    config: { ack_policy: "none", deliver_policy: "all", deliver_subject: "INBOX", ...config },
  });
  const create = `CONSUMER.CREATE.${stream}`;
  const refused: [string, object][] = [
    [create, consumer({ filter_subject: theirs })],
    [create, consumer({ name: "x", filter_subjects: [theirs] })],
    [`${create}.x`, consumer({ name: "x", filter_subject: theirs })],
    [`${create}.x`, consumer({ name: "x" })],
    [`${create}.x.${theirs}`, consumer({ name: "x", filter_subject: theirs })],
    [`${create}.x.$KV.definitions.>`, consumer({ name: "x", filter_subject: "$KV.definitions.>" })],
    [`${create}.x.$KV.definitions.us1.8`, consumer({ name: "x", filter_subject: "$KV.definitions.us1.8" })],
    [`CONSUMER.DURABLE.CREATE.${stream}.x`, consumer({ durable_name: "x", filter_subject: theirs })],
    [`STREAM.MSG.GET.${stream}`, { last_by_subj: "$KV.definitions.us1.8" }],
    [`STREAM.MSG.GET.${stream}`, { seq: 2 }],
    [`DIRECT.GET.${stream}`, { seq: 2 }],
    [`DIRECT.GET.${stream}`, { batch: 10, multi_last: [theirs] }],
    [`DIRECT.GET.${stream}.$KV.definitions.us1.8`, {}],
    [`STREAM.SNAPSHOT.${stream}`, { deliver_subject: "INBOX" }],
    [`STREAM.UPDATE.${stream}`, { name: stream, subjects: ["$KV.definitions.>"], republish: { dest: "x.>" } }],
    ["STREAM.CREATE.COPY", { name: "COPY", mirror: { name: stream } }],
    [`CONSUMER.NAMES.${stream}`, {}],
    [`CONSUMER.LIST.${stream}`, {}],
  ];
  // The subject is allowed; the server compares the request with it.
  const failed: [string, object][] = [
    [`${create}.x.${own}`, consumer({ name: "x", filter_subject: theirs })],
    [`${create}.x.${own}`, consumer({ name: "x", filter_subject: "$KV.definitions.>" })],
    [`${create}.x.${own}`, consumer({ name: "x", filter_subjects: [theirs] })],
    [`${create}.x.${own}`, consumer({ name: "x", filter_subjects: [own, theirs] })],
    [`${create}.x.${own}`, consumer({ name: "x" })],
  ];
  const user = "probe-runner-eu1";
  const tried = await callAs(user, [...refused, ...failed]);
  expect(tried.answers.slice(0, refused.length)).toEqual(refused.map(() => "refused"));
  expect(tried.answers.slice(refused.length)).toEqual(failed.map(() => expect.objectContaining({ failed: true })));
  expect(tried.got).toEqual([]);

  // A server before 2.10 ignores the list.
  const both = consumer({ name: "z", filter_subject: own, filter_subjects: [own, theirs] });
  expect((await callAs(user, [[`${create}.z.${own}`, both]])).got).not.toContain("of us1");

  // A runner cannot change its consumer to another location, and only receives its own.
  const { answers, got } = await callAs(user, [
    [`${create}.y.${own}`, consumer({ name: "y", filter_subject: own })],
    [`${create}.y.${own}`, consumer({ name: "y", filter_subject: theirs })],
  ]);
  expect(answers).toMatchObject([{ failed: false }, { failed: true }]);
  expect(got).toEqual(["of eu1"]);

  const bus = await connectBus({ url: urlOf(user), name: "probe-runner", user, log: silentLog });
  const seen: string[] = [];
  const current = Promise.withResolvers<void>();
  const watching = watchBucket(bus, {
    bucket: buckets.definitions,
    keys: definitionsOf("eu1"),
    onEntry: ({ key }) => void seen.push(key),
    onCurrent: current.resolve,
  });
  await current.promise;
  expect(seen).toEqual(["eu1.7"]);
  await watching.stop();
  await bus.close();
});

test("monitors reads both kinds of result subjects, and cannot change the consumer of metrics", async () => {
  const name = "metrics";
  await admin.jsm.consumers.add("RESULTS", { durable_name: name, ack_policy: "explicit", ack_wait: 10e9 });
  const before = (await admin.jsm.consumers.info("RESULTS", name)).config;
  const config = { ack_policy: "explicit", deliver_policy: "new", filter_subjects: ["results.1", "results.2"] };
  await callAs("monitors", [
    ["CONSUMER.CREATE.RESULTS", { stream_name: "RESULTS", config: { ...config, name } }],
    ["CONSUMER.CREATE.RESULTS", { stream_name: "RESULTS", config: { ...config, name, durable_name: name } }],
    ["CONSUMER.CREATE.RESULTS", { stream_name: "RESULTS", config: { ...config, durable_name: name } }],
    ["CONSUMER.CREATE.RESULTS", { stream_name: "RESULTS", config: { ...config, name }, action: "update" }],
  ]);
  expect((await admin.jsm.consumers.info("RESULTS", name)).config).toEqual(before);

  const monitors = await connectBus({ url: urlOf("monitors"), name: "monitors", log: silentLog, shrink: 64 });
  const seen: string[] = [];
  const following = followStream(monitors, {
    stream: "RESULTS",
    subjects: [subjects.results(3, "*"), subjects.previousResults(3)],
    from: "new",
    onMessage: ({ subject }) => void seen.push(subject),
  });
  await vi.waitFor(() => expect(following.created()).not.toBeNull(), 30_000);
  for (const subject of ["results.4.eu1", "results.3", "results.3.eu1", "results.3.us1"]) {
    await admin.js.publish(subject, new Uint8Array([1]));
  }
  await vi.waitFor(() => expect(seen.at(-1)).toBe("results.3.us1"), { timeout: 30_000 });
  // A server before 2.10 supports one filter. Only `npm start` uses one, without processes of the previous version.
  const takesSeveral = !/^2\.[0-9]\./.test(admin.nc.info?.version ?? "");
  expect(seen).toEqual([...(takesSeveral ? ["results.3"] : []), "results.3.eu1", "results.3.us1"]);
  await following.stop();
  await monitors.close();
});
