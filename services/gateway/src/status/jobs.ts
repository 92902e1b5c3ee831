import type { PageSnapshot, PageStates } from "@sonde/proto/http/status-snapshot";
import { hash } from "node:crypto";
import { joinStatus } from "./join.ts";
import { type Around, makeText } from "./make.ts";
import { readPage, type Summary, summarize } from "./read.ts";
import type { Wanted, WantedOnce } from "./wanted.ts";

/** A snapshot as KV holds it. `key` tells one from another; the bytes are shared with the thread that reads them. */
export type StoredPage = { key: string; bytes: Uint8Array };
/** `made`: null where the page does not show what the document is about. */
export type Made = { bytes: Uint8Array; etag: string } | null;
export type Job =
  | { task: "read"; page: StoredPage }
  | { task: "make"; page: StoredPage; states: PageStates; wanted: Wanted | WantedOnce; around: Around };
export type JobAnswer = { summary: Summary } | { unreadable: string } | { made: Made };

/** Does what costs more than a turn of the loop, and keeps what it read last: most jobs are about one snapshot. */
export function createJobs(): (job: Job) => Promise<JobAnswer> {
  let read: { key: string; snapshot: PageSnapshot } | null = null;

  const snapshotOf = ({ key, bytes }: StoredPage): PageSnapshot => {
    if (read?.key !== key) read = { key, snapshot: readPage(bytes) };
    return read.snapshot;
  };

  return async (job) => {
    if (job.task === "read") {
      try {
        return { summary: summarize(snapshotOf(job.page)) };
      } catch (error) {
        return { unreadable: String(error).slice(0, 500) };
      }
    }
    const { states, wanted, around } = job;
    // A page that is shown to one person once must not take the place of the one that all ask for.
    const snapshot = wanted.kind === "preview" ? readPage(job.page.bytes) : snapshotOf(job.page);
    const text = await makeText(wanted, snapshot, joinStatus(snapshot, states, around.nowMs), around);
    if (text === null) return { made: null };
    const bytes = new TextEncoder().encode(text);
    return { made: { bytes, etag: hash("sha256", bytes, "base64url").slice(0, 22) } };
  };
}
