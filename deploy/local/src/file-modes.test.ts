import { chmod, mkdir, mkdtemp, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { closeToOthers } from "./data-dir.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sonde-modes-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const modeOf = async (path: string) => ((await stat(join(folder, path))).mode & 0o777).toString(8);
async function leave(path: string, mode: number): Promise<void> {
  await mkdir(join(folder, path, ".."), { recursive: true });
  await writeFile(join(folder, path), "");
  await chmod(join(folder, path), mode);
}

it("closes every file and folder that an earlier version left open to others", async () => {
  await leave("data/clickhouse/store/part.bin", 0o644);
  await leave("data/clickhouse/tool", 0o755);
  await leave("data/secret-key", 0o600);
  await chmod(join(folder, "data/clickhouse/store"), 0o755);
  await chmod(join(folder, "data"), 0o711);

  await closeToOthers(join(folder, "data"));

  expect(await modeOf("data/clickhouse/store/part.bin")).toBe("600");
  expect(await modeOf("data/clickhouse/store")).toBe("700");
  expect(await modeOf("data/clickhouse")).toBe("700");
  expect(await modeOf("data/clickhouse/tool")).toBe("700");
  expect(await modeOf("data/secret-key")).toBe("600");
  expect(await modeOf("data")).toBe("711");
});

it("allows only PostgreSQL's user to pass through its folder", async () => {
  await leave("data/postgres/password", 0o644);
  await chmod(join(folder, "data/postgres"), 0o711);

  await closeToOthers(join(folder, "data"));

  expect(await modeOf("data/postgres")).toBe("710");
  expect(await modeOf("data/postgres/password")).toBe("600");
});

it("does not change the target of a link", async () => {
  await leave("elsewhere", 0o644);
  await mkdir(join(folder, "data"));
  await symlink(join(folder, "elsewhere"), join(folder, "data", "link"));

  await closeToOthers(join(folder, "data"));

  expect(await modeOf("elsewhere")).toBe("644");
});
