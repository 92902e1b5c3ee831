import { slices } from "@sonde/kit/concurrency/slices";
import type { FieldFault } from "@sonde/kit/errors";
import { type Sample, shapesOf } from "@sonde/proto/http/agents/agents";
import { faultsOf } from "@sonde/proto/http/reasons/issues";
import { encodeSampleValues } from "@sonde/proto/samples/encode";
import { sampleFields } from "@sonde/proto/samples/fields";
import * as z from "zod";
import { type EncodedSample, sampleLists } from "./sample.ts";

/** `index`: position in the report. `atMs`: by the agent's clock. */
export type CheckedSample = { index: number; atMs: number; bytes: Uint8Array };

const maxErrors = 100;

const withoutLists = z.object(
  shapesOf(Object.fromEntries(Object.entries(sampleFields).filter(([, { kind }]) => kind !== "list"))),
);
const entryShapes = [...sampleLists.values()].map(({ name, fields }) => ({ name, shape: z.object(shapesOf(fields)) }));

/**
 * Validates samples independently, yielding to the event loop in between. @throws AppError `invalid` if the report is
 * malformed
 */
export async function checkSamples(
  samples: readonly EncodedSample[],
): Promise<{ good: CheckedSample[]; faults: FieldFault[] }> {
  const good: CheckedSample[] = [];
  const faults: FieldFault[] = [];
  const pause = slices();
  for (const [index, encoded] of samples.entries()) {
    await pause();
    const decoded = encoded.decode();
    const checked = "fault" in decoded ? [decoded.fault] : checkSample(decoded.value);
    if (!Array.isArray(checked)) good.push({ index, ...checked });
    else {
      const placed = checked.map((fault) => ({ ...fault, path: joinPath("samples", index, fault.path) }));
      faults.push(...placed.slice(0, maxErrors - faults.length));
    }
  }
  return { good, faults };
}

function checkSample(given: unknown): Omit<CheckedSample, "index"> | FieldFault[] {
  const parsed = parseSample(given);
  if (Array.isArray(parsed)) return parsed;
  const atMs = Date.parse(parsed.at);
  return { atMs, bytes: encodeSampleValues({ ...parsed, at: atMs }) };
}

/**
 * Validates with the public JSON shapes, but reports only the first invalid entry of each list: reporting every field
 * of a list of empty entries would cost a thousand times as much as sending it.
 */
function parseSample(given: unknown): Sample | FieldFault[] {
  const flat = withoutLists.safeParse(given);
  const faults = flat.success ? [] : faultsOf(flat.error.issues);
  const sample: Record<string, unknown> = { ...flat.data };
  for (const { name, shape } of entryShapes) {
    const list = (given as Record<string, unknown> | null)?.[name];
    if (Array.isArray(list)) sample[name] = parseList(name, shape, list, faults);
    else if (list !== undefined) faults.push({ path: name, message: "Please enter a list" });
  }
  return faults.length > 0 ? faults : (sample as Sample);
}

function parseList(name: string, shape: z.ZodType, list: readonly unknown[], faults: FieldFault[]): unknown[] {
  const entries: unknown[] = [];
  for (const [at, entry] of list.entries()) {
    const parsed = shape.safeParse(entry);
    if (!parsed.success) {
      const found = faultsOf(parsed.error.issues);
      faults.push(...found.map((fault) => ({ ...fault, path: joinPath(name, at, fault.path) })));
      break;
    }
    entries.push(parsed.data);
  }
  return entries;
}

const joinPath = (...parts: (string | number)[]) => parts.filter((part) => part !== "").join(".");
