// Maps stack traces to source locations: `npm run trace < .sonde/logs/sonde.log`; in an image, `node /app/trace.js`.
// Reads the source maps of the bundle that wrote the log, which must still be at the same path.
import { existsSync, readFileSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";
import { dirname, resolve } from "node:path";
import { createInterface } from "node:readline";

const maps = new Map<string, SourceMap | undefined>();

function mapOf(file: string): SourceMap | undefined {
  const cached = maps.get(file);
  if (cached !== undefined || !existsSync(`${file}.map`)) return cached;
  const map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, "utf8")) as SourceMapPayload);
  maps.set(file, map);
  return map;
}

function sourceOf(file: string, line: number, column: number): string | undefined {
  const entry = mapOf(file)?.findEntry(line - 1, column - 1);
  if (entry === undefined || !("originalSource" in entry)) return undefined;
  return `${resolve(dirname(file), entry.originalSource)}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
}

const place = /(?:file:\/\/)?(\/[^\s:()"\\]+\.js):(\d+):(\d+)/g;
for await (const text of createInterface({ input: process.stdin })) {
  const traced = text.replaceAll(
    place,
    (bundled: string, file: string, line: string, column: string) =>
      sourceOf(file, Number(line), Number(column)) ?? bundled,
  );
  process.stdout.write(`${traced}\n`);
}
