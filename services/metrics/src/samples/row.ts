import { timestampMs } from "@bufbuild/protobuf/wkt";
import { type AgentSample, type Sample, SampleBatchSchema } from "@sonde/proto/gen/agents/v1/samples";
import { createHash } from "node:crypto";
import { fromBinary } from "@bufbuild/protobuf";
import { figureColumns, ofDisks, ofHost, ofInterfaces, type StoredMetric } from "./series.ts";
import { readItems } from "../ingest/batch.ts";
import type { Read } from "../ingest/intake.ts";
import { hourOf } from "../rollups/instants.ts";

export const sampleColumns: [string, ...string[]] = [
  "agent_id",
  "boot",
  "sequence",
  "at",
  "seniority",
  ...figureColumns,
];

export type SampleRowValues = readonly (number | string | null | readonly (number | string | null)[])[];

const uint32Max = 0xffffffff;
const maxNameLength = 500;
/** Limit of the contract for one sample. */
const maxNames = 100;

const takenAtMs = (sample: Sample): number => (sample.at ? timestampMs(sample.at) : Number.NaN);

function problemOf({ agentId, receivedAtMs, skewMs, sample }: AgentSample): string | null {
  if (agentId === 0) return "no agent";
  if (sample?.at === undefined) return "missing sample or timestamp";
  const atMs = takenAtMs(sample);
  if (!(atMs >= 0 && atMs < 8.64e15)) return "at is not a valid time";
  if (!Number.isFinite(receivedAtMs)) return "receivedAtMs is not a number";
  if (!Number.isFinite(skewMs)) return "skewMs is not a number";
  const { sequence } = sample;
  if (sequence !== undefined && !(Number.isSafeInteger(sequence) && sequence >= 0))
    return "sequence is not a whole number";
  const odd = oddOf(ofHost, [sample]) ?? oddOf(ofDisks, sample.disks) ?? oddOf(ofInterfaces, sample.network);
  return odd ? `${odd.column} is not a number` : null;
}

const oddOf = <From>(metrics: readonly StoredMetric<From>[], all: readonly From[]) =>
  metrics.find(({ read }) => all.some((from) => !Number.isFinite(read(from) ?? 0)));

const clamp = (value: number, max: number) => Math.min(max, Math.max(0, Math.round(value)));
function stored<From>({ read, scale, max }: StoredMetric<From>, from: From): number | null {
  const value = read(from);
  return value === undefined ? null : clamp(value * scale, max);
}

function toRow({ agentId, receivedAtMs, skewMs, sample }: AgentSample & { sample: Sample }): SampleRowValues {
  const { bootId, sequence } = sample;
  const atMs = Math.round(takenAtMs(sample));
  const isNumbered = bootId !== undefined && bootId !== "" && sequence !== undefined;
  const disks = named(sample.disks, ({ mountPoint }) => mountPoint);
  const interfaces = named(sample.network, (one) => one.interface);
  return [
    agentId,
    isNumbered ? hashOf(bootId) : "0",
    // By the agent's clock, so that a redelivery with another skew correction is the same sample.
    isNumbered ? sequence : clamp(atMs + skewMs, Number.MAX_SAFE_INTEGER),
    atMs,
    uint32Max - clamp(receivedAtMs / 1000, uint32Max),
    ...ofHost.map((metric) => stored(metric, sample)),
    disks.map(([name]) => name),
    ...ofDisks.map((metric) => disks.map(([, disk]) => stored(metric, disk))),
    interfaces.map(([name]) => name),
    ...ofInterfaces.map((metric) => interfaces.map(([, one]) => stored(metric, one))),
  ];
}

/** Returns items with their names; the first one wins if several share a name. */
function named<Item>(items: readonly Item[], nameOf: (item: Item) => string): [string, Item][] {
  const known = new Map<string, Item>();
  for (const item of items) {
    const name = nameOf(item).slice(0, maxNameLength).toWellFormed();
    if (name !== "" && known.size < maxNames && !known.has(name)) known.set(name, item);
  }
  return [...known];
}

/** Hashes a boot id to 64 bits in decimal; never 0, which means none. */
function hashOf(bootId: string): string {
  const hash = createHash("sha256").update(bootId).digest().readBigUInt64BE();
  return String(hash === 0n ? 1n : hash);
}

export type SampleRows = Read & { samples: readonly { agentId: number; hourMs: number; row: SampleRowValues }[] };

/** Parses a message of SAMPLES. It is never news: live figures come from another source. */
export function readSamples(bytes: Uint8Array, times: { nowMs: number; rawDays: number }): SampleRows {
  const { rows, refused, problem } = readItems("sample", () => fromBinary(SampleBatchSchema, bytes).samples, times, {
    problemOf,
    atMsOf: ({ sample }) => takenAtMs(sample!),
    rowOf: ({ sample, ...one }) => {
      const hourMs = hourOf(Math.round(takenAtMs(sample!)));
      return { agentId: one.agentId, hourMs, row: toRow({ ...one, sample: sample! }) };
    },
  });
  return { samples: rows, rows: rows.length, news: false, refused, problem };
}
