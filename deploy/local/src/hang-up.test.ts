import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const script = JSON.stringify(resolve(import.meta.dirname, "../hang-up.mjs"));
const program = `import(${script}).then((m) => process.stdout.write("outlives " + m.outlivesHangUp()))`;
const node = `"${process.execPath}" -e '${program}'`;
const hasTerminals = existsSync("/usr/bin/script") && process.platform === "linux";

async function run(file: string, args: string[]): Promise<string | undefined> {
  const asking = promisify(execFile)(file, args);
  asking.child.stdin?.end();
  return /outlives (\w+)/.exec((await asking).stdout)?.[1];
}
const inTerminal = (command: string) => run("/usr/bin/script", ["-qec", command, "/dev/null"]);

it("outlives a terminal that it does not stand in", async () => {
  expect(await run("sh", ["-c", node])).toBe("true");
});

it.runIf(hasTerminals)("ends with the terminal that it stands in", async () => {
  expect(await inTerminal(node)).toBe("false");
});

it.runIf(hasTerminals)("outlives its terminal under nohup, and where the shell ignores its end", async () => {
  expect(await inTerminal(`nohup ${node} | cat`)).toBe("true");
  expect(await inTerminal(`trap '' HUP; ${node}; true`)).toBe("true");
});
