import { toAppError } from "@sonde/kit/errors";
import { unzipLines } from "@sonde/domain/managed/lines";
import { maxImportBytes } from "@sonde/proto/http/import";
import { afterAll, expect, test } from "vitest";
import { createDocumentReader } from "./reader.ts";
import { emptyInstallation } from "@sonde/import/formats/testing/known";

const reader = createDocumentReader();
afterAll(() => reader.stop());

const read = async (text: string) => {
  const job = { bytes: Buffer.from(text), minSeconds: 60, known: emptyInstallation };
  const { document, objects } = await reader.readImport(job);
  return { document, monitors: Object.values(objects).filter(({ type }) => type === "monitor") };
};
const monitor = { type: "tcp", host: "db.example.com", port: 5432 };
const exportOf = (monitors: object[]) => JSON.stringify({ source: "sonde", export: { version: 1, monitors } });

test("a worker thread converts a file to a document that fits in bus messages", async () => {
  const monitors = Array.from({ length: 9_000 }, (_, at) => ({ ...monitor, id: at + 1, name: `db ${at}` }));
  const { monitors: prepared, document } = await read(exportOf(monitors));
  expect(prepared.map(({ name }) => name)).toEqual(monitors.map(({ name }) => name));
  const lines = await unzipLines(document.monitors);
  expect(JSON.parse(lines[8_999]!)).toMatchObject({ kind: "monitor", fields: { name: "db 8999" } });
  expect(document.monitors.length).toBeLessThan(512 * 1024);
});

test("a worker thread reads a document, or rejects it with its paths", async () => {
  const body = (config: object) => ({ bytes: Buffer.from(JSON.stringify({ source: "git", config })) });
  const read = await reader.readApply(body({ monitors: { db: monitor } }));
  expect(read).toMatchObject({ source: "git", allowDelete: 0, dependsOn: {} });
  await expect(reader.readApply(body({ monitors: { db: { ...monitor, port: 0 } } }))).rejects.toMatchObject({
    code: "invalid",
    details: [{ path: "monitors.db.port" }],
  });
});

test("a huge tag or group shared by thousands of monitors stays within the time budget", async () => {
  const long = "n".repeat(3_000_000);
  const monitors = Array.from({ length: 5_000 }, (_, at) => ({
    id: at + 2,
    name: `db ${at}`,
    type: "port",
    hostname: "db.example.com",
    port: 5432,
    interval: 60,
    parent: 1,
  }));
  const uses = Array.from({ length: 50_000 }, (_, at) => ({ monitor_id: at < 40_000 ? 2 : at % 5_000, tag_id: 1 }));
  const tables = {
    monitor: [{ id: 1, name: long, type: "group" }, ...monitors],
    tag: [{ id: 1, name: long }],
    monitor_tag: uses,
  };
  const { monitors: prepared } = await read(JSON.stringify({ source: "kuma", tables }));
  expect(prepared).toHaveLength(monitors.length);
  expect(prepared[0]?.tags).toEqual(["n".repeat(40)]);
});

test("a file that needs too much time or memory is rejected, and the next one is read", async () => {
  const fill = (begin: string, part: string, end: string) =>
    begin + part.repeat(Math.floor((maxImportBytes - 200) / part.length)) + end;
  const hostile = [
    fill("", "[", ""),
    fill('{"source":"sonde","export":{"version":1,"monitors":[],"x":[', "[],", "0]}}"),
    fill('{"source":"kuma","tables":{"monitor":[{"type":"http","headers":"', '{\\"a\\":', '"}]}}'),
    fill(
      '{"source":"kuma","tables":{"monitor":[{"type":"json-query","url":"http://a/","json_path":"',
      "a[0].",
      '"}]}}',
    ),
  ];
  for (const text of hostile) {
    const outcome = await read(text).then(
      ({ monitors }) => monitors.length,
      (error: unknown) => toAppError(error).code,
    );
    expect(["invalid", "too_large", "impossible", 0]).toContain(outcome);
    expect((await read(exportOf([{ ...monitor, name: "db" }]))).monitors).toHaveLength(1);
  }
});
