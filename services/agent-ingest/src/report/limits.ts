import { sampleFields } from "@sonde/proto/samples/fields";

export const maxBatchSamples = 500;
/** One sample as it is sent; a hundred disks and a hundred interfaces with long names fit. */
export const maxSampleBytes = 64 * 1024;
/** The lists of a sample with the most entries each may have. */
export const lists = {
  disks: sampleFields.disks.maxEntries,
  network: sampleFields.network.maxEntries,
  temperatures: sampleFields.temperatures.maxEntries,
  gpus: sampleFields.gpus.maxEntries,
};
/** The largest rest of a report beside its samples. */
export const maxRestBytes = 64 * 1024;

/** A report counts once against its agent's rate for each unit of inflated bytes, and for each unit of samples. */
export const reportUnitBytes = 64 * 1024;
export const reportUnitSamples = 100;

/** How often a report of this size counts. */
export const unitsOf = (bytes: number, samples: number): number =>
  Math.max(1, Math.ceil(bytes / reportUnitBytes), Math.ceil(samples / reportUnitSamples));
