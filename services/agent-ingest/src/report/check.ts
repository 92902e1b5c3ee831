import { create, toBinary } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { FieldFault } from "@sonde/kit/errors";
import { sample as sampleShape } from "@sonde/proto/http/agents";
import { faultsOf } from "@sonde/proto/http/issues";
import { type Sample, SampleSchema } from "@sonde/proto/gen/agents/v1/samples";

/** A good sample with its bytes, its instant as the agent's clock said it. */
export type Checked = { index: number; atMs: number; sample: Sample; bytes: Uint8Array };
export type CheckedReport = { good: Checked[]; faults: FieldFault[] };

/** One message of the bus holds it with room to spare. */
const maxSampleBytes = 256 * 1024;
const mostFaults = 100;
const hostileText = /\0/;

/** Looks at each sample alone: what is good is kept, what is not is listed with its path. */
export function checkSamples(samples: readonly unknown[]): CheckedReport {
  const good: Checked[] = [];
  const faults: FieldFault[] = [];
  const add = (index: number, found: readonly FieldFault[]) => {
    for (const fault of found) {
      const path = fault.path === "" ? `samples.${index}` : `samples.${index}.${fault.path}`;
      if (faults.length < mostFaults) faults.push({ ...fault, path });
    }
  };
  for (const [index, given] of samples.entries()) {
    const parsed = sampleShape.safeParse(given);
    if (!parsed.success) {
      add(index, faultsOf(parsed.error.issues));
      continue;
    }
    const { at, cpu, network, disks, ...rest } = parsed.data;
    const atMs = Date.parse(at);
    if (hasNul(parsed.data)) {
      add(index, [{ path: "", message: "This value is not valid" }]);
      continue;
    }
    const sample = create(SampleSchema, {
      ...rest,
      at: timestampFromMs(atMs),
      ...(cpu === undefined ? {} : { cpu: withoutNull(cpu) }),
      disks: disks ?? [],
      network: (network ?? []).map(withoutNull),
    });
    const bytes = toBinary(SampleSchema, sample);
    if (bytes.length > maxSampleBytes) add(index, [{ path: "", message: "The sample is too large" }]);
    else good.push({ index, atMs, sample, bytes });
  }
  return { good, faults };
}

/** JSON says null where protobuf says nothing. */
function withoutNull<Fields extends object>(fields: Fields): { [Key in keyof Fields]: Exclude<Fields[Key], null> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== null);
  return Object.fromEntries(entries) as { [Key in keyof Fields]: Exclude<Fields[Key], null> };
}

/** PostgreSQL has no place for it. */
function hasNul({ disks, bootId }: { disks?: { mountPoint: string }[] | undefined; bootId?: string | undefined }) {
  return hostileText.test(bootId ?? "") || (disks ?? []).some(({ mountPoint }) => hostileText.test(mountPoint));
}
