import { contract } from "@sonde/proto/rpc/contract";
import { headers } from "@nats-io/nats-core";
import { subjects } from "@sonde/proto/subjects";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import * as z from "zod";
import { silentLog } from "../service/log.ts";
import { type Bus, connectBus } from "./connect.ts";
import { decodeError } from "../error-reply.ts";
import { AppError } from "../errors.ts";
import { client, serve } from "./rpc.ts";

const things = contract("things", {
  paint: {
    input: z.strictObject({
      name: z.string().min(1, "Name is required"),
      inks: z.array(z.strictObject({ ink: z.string() })),
    }),
    answer: z.object({ painted: z.string(), at: z.iso.datetime().optional() }),
  },
  spoil: { input: z.object({}), answer: z.object({ painted: z.string() }) },
});

let bus: Bus;
let stop: () => unknown;
beforeAll(async () => {
  bus = await connectBus({ url: inject("natsUrl"), name: "test", log: silentLog, streams: [], buckets: [] });
  const served = await serve(bus, things, {
    paint: async ({ name, ...rest }, { actor }) => {
      if (name === "sky") throw new AppError("conflict", "Username already exists");
      return { painted: JSON.stringify({ name, ...rest, by: actor?.username }), added: "by a newer version" };
    },
    spoil: async () => ({ painted: 3 }) as never,
  });
  stop = () => served.stop();
});
afterAll(async () => {
  await stop();
  await bus.close();
});

test("a call carries input, caller and response", async () => {
  const actor = { id: 1, username: "张三", role: "user" as const };
  const { painted } = await client(bus, things).paint({ name: "door", inks: [{ ink: "red" }] }, { call: { actor } });
  expect(JSON.parse(painted)).toEqual({ name: "door", inks: [{ ink: "red" }], by: "张三" });
});

test("unknown keys are dropped, at any depth and on both sides", async () => {
  const newer = { name: "door", inks: [{ ink: "red", shine: 1 }], finish: { matt: true } };
  const answer = await client(bus, things).paint(newer);
  expect(JSON.parse(answer.painted)).toEqual({ name: "door", inks: [{ ink: "red" }] });
  expect(answer).not.toHaveProperty("added");
});

test("invalid input is rejected with its fields", async () => {
  const asked = client(bus, things).paint({ name: "", inks: [{}] } as never);
  await expect(asked).rejects.toMatchObject({
    code: "invalid",
    details: [
      { path: "name", message: "Name is required" },
      { path: "inks.0.ink", message: "This field is required" },
    ],
  });
});

test("an error of a handler reaches the caller", async () => {
  const asked = client(bus, things).paint({ name: "sky", inks: [] });
  await expect(asked).rejects.toMatchObject({ code: "conflict", key: "Username already exists" });
});

test("an invalid response is an error that is not passed on", async () => {
  await expect(client(bus, things).spoil({})).rejects.toThrow("things/spoil returned an unexpected response");
});

test("a request that is not JSON gets an error response", async () => {
  const reply = await bus.nc.request(subjects.rpc("things", "paint"), "{", { timeout: 5_000, headers: headers() });
  expect(decodeError(reply.string())).toMatchObject({ code: "internal" });
});
