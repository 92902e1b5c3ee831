import { create } from "@bufbuild/protobuf";
import { fakeClock } from "@sonde/kit/time/clock";
import { ListChecksRequestSchema } from "@sonde/proto/gen/metrics/v1/metrics";
import { expect, test } from "vitest";
import { endpoints } from "./endpoints.ts";

test("checks are listed once what waits to be stored is", async () => {
  const done: string[] = [];
  const read = async <Result>(): Promise<Result> => {
    done.push("read");
    return [] as Result;
  };
  const context = {
    clock: fakeClock(),
    retention: { rawDays: 30, rollupDays: 400 },
    timelines: { get: () => undefined },
    maintenance: { spansOf: () => [] },
    read,
  };
  const hurry = async () => void done.push("stored");
  const { listChecks } = endpoints(context, { hurry });
  const request = create(ListChecksRequestSchema, { monitorId: 1, limit: 1, failedOnly: true });
  await listChecks(request, { requestId: "r", timeoutMs: 1_000, signal: new AbortController().signal });
  expect(done).toEqual(["stored", "read"]);
});
