import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { AgentSample, Sample } from "@sonde/proto/gen/agents/v1/samples";
import { createHash } from "node:crypto";

/** The columns of `samples`, in the order in which rows are inserted. */
export const columns = [
  "agent_id",
  "boot",
  "sequence",
  "at",
  "seniority",
  "cpu",
  "memory",
  "load_one",
  "load_five",
  "load_fifteen",
  "disks",
  "disk_usage",
  "interfaces",
  "receive_rate",
  "send_rate",
] as const satisfies [string, ...string[]];

/** One row as ClickHouse takes it: values in the order of `columns`. */
export type Row = readonly (number | string | null | readonly (number | string | null)[])[];

const uint32Max = 0xffffffff;
/** 100 TB/s; an hour of such rates still adds up within 64 bits. */
const maxRate = 1e14;
const maxNameLength = 500;
/** What the contract allows in a sample. */
const maxNames = 100;

/** When it was taken, as far as is known; epoch milliseconds. */
export const takenAtMs = (sample: Sample): number => (sample.at ? timestampMs(sample.at) : Number.NaN);

/** What is wrong with a sample that came over the bus, else null. What is stored must be countable and comparable. */
export function faultOf({ agentId, receivedAtMs, skewMs, sample }: AgentSample): string | null {
  if (agentId === 0) return "no agent";
  if (sample?.at === undefined) return "no sample, or none with an instant";
  const atMs = takenAtMs(sample);
  if (!(atMs >= 0 && atMs < 8.64e15)) return "at is no instant";
  if (!Number.isFinite(receivedAtMs)) return "receivedAtMs is not a number";
  if (!Number.isFinite(skewMs)) return "skewMs is not a number";
  const { sequence } = sample;
  if (sequence !== undefined && !(Number.isSafeInteger(sequence) && sequence >= 0))
    return "sequence is no whole number";
  const values: [string, number | undefined][] = [
    ["cpu", sample.cpu?.usage],
    ["memory", sample.memory?.usage],
    ["load", sample.load?.one],
    ["load", sample.load?.five],
    ["load", sample.load?.fifteen],
    ...sample.disks.map(({ usage }): [string, number] => ["a disk", usage]),
    ...sample.network.flatMap(({ receiveRate, sendRate }): [string, number | undefined][] => [
      ["a receive rate", receiveRate],
      ["a send rate", sendRate],
    ]),
  ];
  const odd = values.find(([, value]) => value !== undefined && !Number.isFinite(value));
  return odd ? `${odd[0]} is not a number` : null;
}

const clamp = (value: number, max: number) => Math.min(max, Math.max(0, Math.round(value)));
const orNull = <Value>(value: number | undefined, to: (value: number) => Value) =>
  value === undefined ? null : to(value);
const share = (percent: number) => clamp(percent * 100, 10_000);
const load = (value: number) => clamp(value * 100, uint32Max);
const rate = (value: number) => clamp(value, maxRate);

/** A sample as a row of `samples`; only for samples without a fault. */
export function toRow({ agentId, receivedAtMs, skewMs, sample }: AgentSample & { sample: Sample }): Row {
  const { bootId, sequence, cpu, memory, load: loads } = sample;
  const atMs = Math.round(takenAtMs(sample));
  const isNumbered = bootId !== undefined && bootId !== "" && sequence !== undefined;
  const disks = named(sample.disks, ({ mountPoint }) => mountPoint);
  const interfaces = named(sample.network, (one) => one.interface);
  return [
    agentId,
    isNumbered ? hashOf(bootId) : "0",
    // As the agent said it: corrected by another skew it is the same sample.
    isNumbered ? sequence : clamp(atMs + skewMs, Number.MAX_SAFE_INTEGER),
    atMs,
    uint32Max - clamp(receivedAtMs / 1000, uint32Max),
    orNull(cpu?.usage, share),
    orNull(memory?.usage, share),
    orNull(loads?.one, load),
    orNull(loads?.five, load),
    orNull(loads?.fifteen, load),
    disks.map(([name]) => name),
    disks.map(([, { usage }]) => share(usage)),
    interfaces.map(([name]) => name),
    interfaces.map(([, { receiveRate }]) => orNull(receiveRate, rate)),
    interfaces.map(([, { sendRate }]) => orNull(sendRate, rate)),
  ];
}

/** Each by its name, the first of those with the same one. */
function named<Item>(items: readonly Item[], nameOf: (item: Item) => string): [string, Item][] {
  const known = new Map<string, Item>();
  for (const item of items) {
    const name = nameOf(item).slice(0, maxNameLength).toWellFormed();
    if (name !== "" && known.size < maxNames && !known.has(name)) known.set(name, item);
  }
  return [...known];
}

/** 64 bits of a boot id, in decimal digits; never 0, which stands for none. */
function hashOf(bootId: string): string {
  const hash = createHash("sha256").update(bootId).digest().readBigUInt64BE();
  return String(hash === 0n ? 1n : hash);
}
