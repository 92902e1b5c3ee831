import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startMemoryFlags } from "./start-memory.ts";

it.runIf(process.platform === "linux")(
  "makes a process smaller, which goes on as before and says nothing of it",
  () => {
    const script = `
    import { readFileSync } from "node:fs";
    import { giveBackStartMemory } from ${JSON.stringify(join(import.meta.dirname, "start-memory.ts"))};
    const filePages = () => Number(/^RssFile:\\s+(\\d+)/m.exec(readFileSync("/proc/self/status", "utf8"))[1]);
    const before = filePages();
    await giveBackStartMemory();
    console.log(JSON.stringify({ isSmaller: filePages() < before, works: new Intl.DateTimeFormat("en").format(0) !== "" }));`;

    const run = spawnSync(process.execPath, [...startMemoryFlags, "--input-type=module", "--eval", script], {
      encoding: "utf8",
    });

    expect(run).toMatchObject({ status: 0, stderr: "" });
    expect(JSON.parse(run.stdout)).toEqual({ isSmaller: true, works: true });
  },
);
