import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { MonitorHistoryRequestSchema } from "@sonde/proto/gen/metrics/v1/metrics";
import { expect, test } from "vitest";
import { readHistoryRequest } from "./request.ts";

const read = (fields: MessageInitShape<typeof MonitorHistoryRequestSchema>) =>
  readHistoryRequest(create(MonitorHistoryRequestSchema, { monitorId: 7, range: "24h", ...fields }));

test("what a request leaves out is the range's own step, and days of UTC", () => {
  expect(read({ range: "30d" })).toEqual({ monitorId: 7, range: "30d", step: undefined, timeZone: "UTC" });
  expect(read({ range: "7d", step: "1d", timeZone: "Asia/Tokyo" })).toEqual({
    monitorId: 7,
    range: "7d",
    step: "1d",
    timeZone: "Asia/Tokyo",
  });
});

test.each([
  [{ range: "90d" }, "range"],
  [{ range: "" }, "range"],
  [{ range: "constructor", step: "1h" }, "range"],
  [{ step: "2h" }, "step"],
  [{ range: "30d", step: "1m" }, "step"],
  [{ timeZone: "Mars/Olympus" }, "timeZone"],
  [{ timeZone: "UTC'; DROP TABLE checks" }, "timeZone"],
])("%o is refused because of %s", (fields, path) => {
  expect(() => read(fields)).toThrow(
    expect.objectContaining({ code: "invalid", details: [expect.objectContaining({ path })] }),
  );
});
