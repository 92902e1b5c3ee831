import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const execute = promisify(execFile);
const root = join(import.meta.dirname, "../..");
let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "sonde-agent-build-"))));
afterAll(() => rm(folder, { recursive: true, force: true }));

// Other systems run it only after signing.
test.runIf(process.platform === "linux")(
  "the agent of this platform is built with less than 300 MiB, and runs from its archive",
  async () => {
    const platform = `${process.platform}-${process.arch}`;
    const script = `
    import { buildPlatform } from ${JSON.stringify(join(root, "agent/build/platform.ts"))};
    const want = { executable: false, archive: true };
    const input = { root: ${JSON.stringify(root)}, folder: ${JSON.stringify(folder)}, platform: "${platform}", want, quick: true, onProgress() {} };
    const [archive] = await buildPlatform(input);
    console.log(JSON.stringify({ archive, peakMib: process.resourceUsage().maxRSS / 1024 }));`;
    const node = process.execPath;
    const { stdout } = await execute(node, ["--input-type=module", "-e", script], { cwd: root });
    const { archive, peakMib } = JSON.parse(stdout) as { archive: string; peakMib: number };
    expect(peakMib).toBeLessThan(300);

    await execute("tar", ["-xf", archive, "-C", folder]);
    const { stdout: version } = await execute(join(folder, "sonde-agent"), ["--version"]);
    expect(version).toMatch(/^\d+\.\d+\.\d+\n$/);
  },
  300_000,
);
