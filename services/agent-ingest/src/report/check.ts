import type { FieldFault } from "@sonde/kit/errors";
import { slices } from "@sonde/kit/concurrency/slices";
import { type Sample, shapesOf } from "@sonde/proto/http/agents/agents";
import { faultsOf } from "@sonde/proto/http/reasons/issues";
import { encodeSampleValues } from "@sonde/proto/samples/encode";
import { sampleFields } from "@sonde/proto/samples/fields";
import { z } from "zod";
import { type EncodedSample, type GoodSample, type ListName, listNames } from "./sample.ts";

export type CheckedSample = GoodSample & { index: number };
export type CheckedReport = { good: CheckedSample[]; faults: FieldFault[] };

/** One message of the bus holds it with room to spare. */
const maxEncodedBytes = 256 * 1024;
const mostFaults = 100;

/** Everything of a sample but its lists. */
const { disks, network, temperatures, gpus, ...flatFields } = sampleFields;
const withoutLists = z.object(shapesOf(flatFields));
/** An entry of each list. */
const entryShapes: Record<ListName, z.ZodType> = {
  disks: z.object(shapesOf(disks.fields)),
  network: z.object(shapesOf(network.fields)),
  temperatures: z.object(shapesOf(temperatures.fields)),
  gpus: z.object(shapesOf(gpus.fields)),
};

/**
 * Checks each sample alone: good ones are kept, others are listed with their path. Yields to the event loop between two
 * of them. @throws AppError `invalid` if the report is malformed
 */
export async function checkSamples(samples: readonly EncodedSample[]): Promise<CheckedReport> {
  const good: CheckedSample[] = [];
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
  const atMs = Date.parse(parsed.at);
  const bytes = encodeSampleValues({ ...parsed, at: atMs });
  if (bytes.length > maxEncodedBytes) return [{ path: "", message: "The sample is too large" }];
  return { atMs, bytes };
}

/**
 * Checks by the shapes of the public JSON, but of each list the faults of its first bad entry alone: to refuse a list of empty
 * entries by each of their fields would cost a thousand times what it takes to send it.
 */
function parseSample(given: unknown): Sample | FieldFault[] {
  const flat = withoutLists.safeParse(given);
  const faults = flat.success ? [] : faultsOf(flat.error.issues);
  const sample: Record<string, unknown> = { ...flat.data };
  for (const name of listNames) {
    const list = (given as Record<string, unknown> | null)?.[name];
    if (list === undefined) continue;
    if (Array.isArray(list)) sample[name] = parseList(name, list, faults);
    else faults.push({ path: name, message: "Please enter a list" });
  }
  return faults.length > 0 ? faults : (sample as Sample);
}

function parseList(name: ListName, list: readonly unknown[], faults: FieldFault[]): unknown[] {
  const entries: unknown[] = [];
  for (const [at, entry] of list.entries()) {
    const parsed = entryShapes[name].safeParse(entry);
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
