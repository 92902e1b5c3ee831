import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { readTraceparent, loggedExporter } from "./otlp.ts";
import { openSpans } from "./open-spans.ts";
import { activeSpan, traceFields } from "./spans.ts";
import { createLog, silentLog } from "../service/log.ts";

/**
 * Imports what every service imports, opens spans, and prints the loaded OpenTelemetry packages. prom-client always
 * loads the API, which has only a few types and constants.
 */
const script = `
import { registerHooks } from "node:module";
const loaded = new Set();
registerHooks({ resolve: (name, context, next) => (name.startsWith("@opentelemetry/") && name !== "@opentelemetry/api" && loaded.add(name), next(name, context)) });
const [{ openSpans }, { silentLog }] = await Promise.all(
  ["telemetry/open-spans", "service/log", "bus/connect", "bus/rpc", "service/lifecycle"].map((name) => import(\`${join(import.meta.dirname, "..")}/\${name}.ts\`)),
);
const spans = await openSpans("test", silentLog);
process.stdout.write(JSON.stringify({ isOn: spans !== null, loaded: [...loaded] }));
process.exit(0);
`;

async function load(environment: Record<string, string>): Promise<{ isOn: boolean; loaded: string[] }> {
  const env = { ...process.env, OTEL_EXPORTER_OTLP_ENDPOINT: "", ...environment };
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], { env });
  return JSON.parse(stdout) as { isOn: boolean; loaded: string[] };
}

test("OpenTelemetry is loaded only with an endpoint", { timeout: 120_000 }, async () => {
  expect(await load({})).toEqual({ isOn: false, loaded: [] });
  const traced = await load({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" });
  expect(traced.isOn).toBe(true);
  expect(traced.loaded).toContain("@opentelemetry/sdk-trace");
});

test("an empty endpoint counts as missing", async () => {
  expect(await openSpans("test", silentLog)).toBeNull();
});

test("an unavailable collector is logged once, and so is its return", async () => {
  const lines: string[] = [];
  const log = createLog("test", "info", {
    write: (line) => void lines.push((JSON.parse(line) as { msg: string }).msg),
  });
  const codes = [1, 1, 0, 0, 1];
  const exporter = loggedExporter(
    { export: (_spans, done) => done({ code: codes.shift() ?? 0 }), shutdown: () => Promise.resolve() },
    log,
  );
  for (let count = codes.length; count > 0; count -= 1) {
    await new Promise<void>((resolve) => exporter.export([], () => resolve()));
  }
  const [away, back] = ["exporting traces failed", "exporting traces works again"];
  expect(lines).toEqual([away, back, away]);
});

test("a log line has the ids of its trace, if there is one", () => {
  const span = { traceId: "a".repeat(32), spanId: "b".repeat(16), traceparent: "" };
  expect(activeSpan.run(span, traceFields)).toEqual({ traceId: span.traceId, spanId: span.spanId });
  expect(traceFields()).toEqual({});
});

test.each([
  ["00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", 1],
  ["00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00", 0],
  ["cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-09-what-comes-later", 1],
])("%s is a traceparent", (text, traceFlags) => {
  expect(readTraceparent(text)).toMatchObject({ spanId: "00f067aa0ba902b7", traceFlags });
});

test.each([
  "",
  "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
  "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
  "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
  "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
  "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
])("%j is not a traceparent", (text) => expect(readTraceparent(text)).toBeNull());
