import { create, toBinary } from "@bufbuild/protobuf";
import { openDatabase } from "@sonde/kit/postgres/database";
import { silentLog } from "@sonde/kit/service/log";
import { ThresholdsSchema } from "@sonde/proto/gen/agents/v1/agents";
import { agentFigureSorts } from "@sonde/proto/http/agents/agents";
import { buckets } from "@sonde/proto/streams";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { migrations } from "../../migrations/index.ts";
import { eventually } from "../testing/eventually.ts";
import { openTestbed, sampleOf, type AgentsTestbed } from "../testing/service.ts";

let bed: AgentsTestbed;
let calm: number;
let busy: number;
let bare: number;
let silent: number;

const disk = (mountPoint: string, usage: number) => ({
  device: "/dev/sda1",
  mountPoint,
  fsType: "ext4",
  total: 100,
  used: usage,
  free: 100 - usage,
  usage,
});
const card = (name: string, receiveRate: number, sendRate: number) => {
  const counted = { received: 1, sent: 1, packetsReceived: 1, packetsSent: 1 };
  return { interface: name, receiveRate, sendRate, ...counted };
};
const figures = {
  calm: {
    cpu: { usage: 9 },
    memory: { total: 10, used: 2, free: 8, usage: 20 },
    disks: [disk("/", 30), disk("/data", 45)],
    network: [card("eth0", 60, 60), card("eth1", 90, 0)],
    load: { one: 2, five: 9, fifteen: 9 },
  },
  busy: {
    cpu: { usage: 80 },
    memory: { total: 10, used: 9, free: 1, usage: 70 },
    disks: [disk("/", 50), disk("/data", 10)],
    network: [card("eth0", 100, 50)],
    load: { one: 10, five: 1, fifteen: 1 },
  },
};

beforeAll(async () => {
  bed = await openTestbed(inject("databaseUrl"));
  await bed.start();
  const [one, two, three, four] = [
    await bed.register(),
    await bed.register(),
    await bed.register(),
    await bed.register(),
  ];
  [calm, bare, busy, silent] = [one.id, two.id, three.id, four.id];
  await bed.report(one.key, { samples: [sampleOf(figures.calm)] });
  await bed.report(two.key, { samples: [{ at: new Date().toISOString() }] });
  await bed.report(three.key, { samples: [sampleOf(figures.busy)] });
  await eventually(async () => {
    if ((await bed.agents.agentsSummary({})).online < 3) throw new Error("not all agents are online yet");
  });
});
afterAll(() => bed.stop());

const idsBy = async (sort: (typeof agentFigureSorts)[number] | `-${(typeof agentFigureSorts)[number]}`) =>
  (await bed.agents.listAgents({ sort })).agents.map(({ id }) => id);

describe("the list of agents", () => {
  test.each(agentFigureSorts)("is sorted by %s, with agents without a value last in both directions", async (sort) => {
    expect(await idsBy(sort)).toEqual([calm, busy, bare, silent]);
    expect(await idsBy(`-${sort}`)).toEqual([busy, calm, silent, bare]);
  });

  test("contains only the disk and the interface by which it is sorted", async () => {
    const { agents } = await bed.agents.listAgents({ sort: "disk" });
    const shown = agents.map(({ latest }) => [
      latest?.disks?.map(({ mountPoint }) => mountPoint),
      latest?.network?.map((each) => each.interface),
    ]);
    expect(shown.slice(0, 2)).toEqual([
      [["/data"], ["eth0"]],
      [["/"], ["eth0"]],
    ]);
    expect(shown[2]).toEqual([[], []]);
  });

  test("follows newer samples", async () => {
    const { id, key } = await bed.register();
    await bed.report(key, { samples: [sampleOf({ cpu: { usage: 5 } })] });
    await eventually(async () => expect((await idsBy("cpu"))[0]).toBe(id));
    await bed.report(key, { samples: [sampleOf({ cpu: { usage: 99 } })] });
    await eventually(async () => expect((await idsBy("-cpu"))[0]).toBe(id));
    await bed.agents.deleteAgent({ id });
    expect(await idsBy("-cpu")).not.toContain(id);
  });
});

test("the summary lists agents that need attention: offline ones, then by highest usage", async () => {
  const worst = async (count: number) => (await bed.agents.agentsSummary({ worst: count })).worst;
  expect((await worst(9)).map(({ id }) => id)).toEqual([busy, calm, bare, silent]);
  expect(await worst(0)).toEqual([]);
  const db = await openDatabase({ url: inject("databaseUrl"), schema: bed.schema, migrations, log: silentLog });
  await db("agents").where({ id: bare }).update({ status: "offline" });
  const [first, second, ...others] = await worst(2);
  expect([first?.id, first?.status, second?.id, others.length]).toEqual([bare, "offline", busy, 0]);
  expect(second?.latest).toMatchObject({ cpu: { usage: 80 }, memory: { usage: 70 }, disks: [{ usage: 50 }] });
  await db("agents").where({ id: bare }).update({ status: "online" });
  await db.destroy();
});

test("an agent has its effective thresholds and their scope", async () => {
  const kv = await bed.bus.kv(buckets.thresholds);
  const put = (key: string, given: object) =>
    kv.put(key, toBinary(ThresholdsSchema, create(ThresholdsSchema, { revision: 1, ...given })));
  const inForce = async (id: number) => (await bed.agents.getAgent({ id })).thresholds;
  expect(await inForce(calm)).toMatchObject({ cpu: 90, memory: 90, disk: 90, scope: "global" });
  await put("global", { cpu: 85, memory: 80 });
  await put(String(busy), { cpu: 97, disk: 70 });
  await eventually(async () => {
    const { agents } = await bed.agents.listAgents({ ids: [calm, busy] });
    expect(agents.map(({ thresholds }) => thresholds)).toMatchObject([
      { cpu: 85, memory: 80, scope: "global" },
      { cpu: 97, disk: 70, scope: "agent" },
    ]);
    expect([agents[0]?.thresholds?.disk, agents[1]?.thresholds?.memory]).toEqual([null, null]);
  });
  await put(String(busy), { revision: 2, deleted: true });
  await eventually(async () => expect(await inForce(busy)).toMatchObject({ cpu: 85, scope: "global" }));
});
