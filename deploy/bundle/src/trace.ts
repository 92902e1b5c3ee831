// Maps stack traces back to source files and lines: `npm run trace < .sonde/logs/sonde.log`. Reads the source maps next to the
// bundle that wrote the log, which must still be at the same path. In an image: `node /app/trace.js`.
import { existsSync, readFileSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";
import { dirname, resolve } from "node:path";
import { createInterface } from "node:readline";

const maps = new Map<string, SourceMap | undefined>();

function mapOf(file: string): SourceMap | undefined {
  const known = maps.get(file);
  if (known !== undefined || !existsSync(`${file}.map`)) return known;
  const map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, "utf8")) as SourceMapPayload);
  maps.set(file, map);
  return map;
}

/** The source's path, line and column; undefined if no map has the place. */
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
