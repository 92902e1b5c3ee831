import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";

it("lets a process drain if its parent exits unnoticed", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sonde-parent-"));
  const noted = join(folder, "noted");
  // Its event loop is blocked until the parent has closed the channel, so it sends before it notices.
  const program = `
    import { existsSync, writeFileSync } from "node:fs";
    import { notifyParent } from ${JSON.stringify(join(import.meta.dirname, "output.ts"))};
    process.on("disconnect", () => setTimeout(() => writeFileSync(${JSON.stringify(noted)}, "drained"), 50));
    process.on("message", () => {
      while (!existsSync(${JSON.stringify(`${folder}/gone`)}));
      notifyParent({ alive: true });
    });
    notifyParent({ ready: true });`;
  const parent = `
    import { fork } from "node:child_process";
    import { writeFileSync } from "node:fs";
    const file = ${JSON.stringify(`${folder}/child.mjs`)};
    writeFileSync(file, ${JSON.stringify(program)});
    const child = fork(file, { detached: true, execArgv: [], stdio: ["ignore", "inherit", "inherit", "ipc"] });
    child.once("message", () => child.send({}, () => process.kill(process.pid, "SIGKILL")));`;
  const run = spawn(process.execPath, ["--input-type=module", "--eval", parent], { stdio: ["ignore", "pipe", "pipe"] });
  let words = "";
  run.stderr.on("data", (chunk: Buffer) => (words += chunk.toString()));
  await once(run, "exit");
  await writeFile(`${folder}/gone`, "");
  await once(run, "close"); // The child held its output, and has ended.

  expect({ words, noted: await readFile(noted, "utf8").catch(() => "") }).toEqual({ words: "", noted: "drained" });
  await rm(folder, { recursive: true });
});
