import { splitInput } from "@sonde/proto/http/monitors/monitors";
import { importInput, kumaTables } from "@sonde/proto/http/import";
import { translateText } from "@sonde/proto/http/reasons/import-reasons";
import { makeKumaDatabase, readKumaDatabase } from "@sonde/proto/http/testing/kuma-database";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readKuma } from "../kuma/read.ts";
import { toDocument } from "../translate.ts";
import { emptyInstallation } from "./known.ts";

export type Row = Record<string, string | number | null>;
export const http = {
  id: 1,
  name: "Shop",
  type: "http",
  url: "https://shop.example.com/",
  interval: 60,
  auth_method: "",
};

export function draftOf(monitors: Row[], { more = {}, version = "2", early = [], min = 60 } = {} as Options) {
  const folder = mkdtempSync(join(tmpdir(), "sonde-kuma-"));
  const path = join(folder, "kuma.db");
  makeKumaDatabase(path, { version, early, rows: { monitor: monitors, ...more } });
  const tables = readKumaDatabase(path, Object.keys(kumaTables));
  rmSync(folder, { recursive: true });
  const input = importInput.parse({ source: "kuma", tables });
  if (input.source !== "kuma") throw new Error("another source");
  return readKuma(input.tables, min);
}
type Options = { more?: Record<string, Row[]>; version?: "1.23" | "2"; early?: Row[]; min?: number };

export function monitorOf(row: Row, options?: Options) {
  const draft = draftOf([{ ...http, ...row }], options);
  const [monitor] = draft.monitors;
  const prepared = toDocument(draft, emptyInstallation);
  const line: Line | null = Object.values(prepared.config.monitors!)[0] ?? null;
  return {
    check: splitInput(line ?? {}).check,
    line,
    notes: (monitor?.notes ?? []).map((note) => translateText(note, "en-US")),
    why: prepared.refused.map(({ why }) => translateText(why, "en-US")),
  };
}
type Line = Record<string, unknown>;
