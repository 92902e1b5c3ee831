import { create, toBinary } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { FieldFault } from "@sonde/kit/errors";
import { slices } from "@sonde/kit/concurrency/slices";
import { type Sample as PublicSample, sample as sampleShape } from "@sonde/proto/http/agents";
import { faultsOf } from "@sonde/proto/http/issues";
import { SampleSchema } from "@sonde/proto/gen/agents/v1/samples";
import type { z } from "zod";
import { type EncodedSample, type GoodSample, type ListName, listNames } from "./sample.ts";

export type Checked = GoodSample & { index: number };
export type CheckedReport = { good: Checked[]; faults: FieldFault[] };

/** One message of the bus holds it with room to spare. */
const maxEncodedBytes = 256 * 1024;
const mostFaults = 100;

/** Everything of a sample but its lists. */
const withoutLists = sampleShape.omit({ disks: true, network: true, temperatures: true, gpus: true });

/**
 * Looks at each sample alone: what is good is kept, what is not is listed with its path. Lets the loop turn between two of
 * them. @throws AppError `invalid` where the report cannot be what it says
 */
export async function checkSamples(samples: readonly EncodedSample[]): Promise<CheckedReport> {
  const good: Checked[] = [];
  const faults: FieldFault[] = [];
  const pause = slices();
  for (const [index, encoded] of samples.entries()) {
    await pause();
    const plain = encoded.readPlain?.() ?? null;
    if (plain !== null) {
      good.push({ index, ...plain });
      continue;
    }
    const decoded = encoded.decode();
    const checked = "fault" in decoded ? [decoded.fault] : checkSample(decoded.value);
    if (!Array.isArray(checked)) good.push({ index, ...checked });
    else faults.push(...checked.slice(0, mostFaults - faults.length).map((fault) => placed(fault, index)));
  }
  return { good, faults };
}

const placed = (fault: FieldFault, index: number): FieldFault => ({
  ...fault,
  path: fault.path === "" ? `samples.${index}` : `samples.${index}.${fault.path}`,
});

function checkSample(given: unknown): GoodSample | FieldFault[] {
  const parsed = parseSample(given);
  if (Array.isArray(parsed)) return parsed;
  const { at, cpu, network, disks, ...rest } = parsed;
  const atMs = Date.parse(at);
  const sample = create(SampleSchema, {
    ...rest,
    at: timestampFromMs(atMs),
    cpu: cpu && withoutNull(cpu),
    disks: disks ?? [],
    network: (network ?? []).map(withoutNull),
  });
  const bytes = toBinary(SampleSchema, sample);
  if (bytes.length > maxEncodedBytes) return [{ path: "", message: "The sample is too large" }];
  return { atMs, bytes };
}

/**
 * The same as `sampleShape.safeParse`, but of each list the faults of its first bad entry alone: to refuse a list of empty
 * entries by each of their fields would cost a thousand times what it takes to send it.
 */
function parseSample(given: unknown): PublicSample | FieldFault[] {
  const flat = withoutLists.safeParse(given);
  const faults = flat.success ? [] : faultsOf(flat.error.issues);
  const sample: Record<string, unknown> = { ...flat.data };
  for (const name of listNames) {
    const list = (given as Record<string, unknown> | null)?.[name];
    if (list === undefined) continue;
    if (Array.isArray(list)) sample[name] = parseList(name, list, faults);
    else faults.push({ path: name, message: "Please enter a list" });
  }
  return faults.length > 0 ? faults : (sample as PublicSample);
}

function parseList(name: ListName, list: readonly unknown[], faults: FieldFault[]): unknown[] {
  const shape: z.ZodType = sampleShape.shape[name].unwrap().element;
  const entries: unknown[] = [];
  for (const [at, entry] of list.entries()) {
    const parsed = shape.safeParse(entry);
    if (!parsed.success) {
      const found = faultsOf(parsed.error.issues);
      faults.push(
        ...found.map((fault) => ({ ...fault, path: [name, at, fault.path].filter((part) => part !== "").join(".") })),
      );
      break;
    }
    entries.push(parsed.data);
  }
  return entries;
}

/** JSON says null where protobuf says nothing. */
function withoutNull<Fields extends object>(fields: Fields): { [Key in keyof Fields]: Exclude<Fields[Key], null> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== null);
  return Object.fromEntries(entries) as { [Key in keyof Fields]: Exclude<Fields[Key], null> };
}
