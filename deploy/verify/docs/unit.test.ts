import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { systemdUnit } from "@sonde/proto/http/agents/install";
import { expect, it } from "vitest";
import { root } from "../steps.ts";

const restrictions = (unit: string) =>
  unit
    .split("\n")
    .filter((line) => /^(?:Protect|Private|Restrict|SystemCall|NoNew|Lock|Keyring|Capability|UMask)/.test(line));

/** Hardening of the agent that Sonde cannot use. */
const exceptions = [
  "ProtectHome=read-only", // Sonde uses the stricter `yes`.
  "PrivateUsers=yes", // `ping` needs a capability in the host's user namespace.
  "CapabilityBoundingSet=",
  "SystemCallFilter=~@privileged @resources", // ClickHouse and agent builds set priorities.
];

it.each(["docs/installing.md", "docs/zh-CN/installing.md"])(
  "the unit in %s is hardened like the agent's",
  async (page) => {
    const text = await readFile(join(root, page), "utf8");
    const unit = /<<'EOF'\n(\[Unit\]\nDescription=Sonde\n[\s\S]*?)EOF/.exec(text)![1]!;
    const expected = restrictions(systemdUnit()).filter(
      (line) => !exceptions.includes(line) && !line.startsWith("RestartP"),
    );
    expect(restrictions(unit)).toEqual(expect.arrayContaining(expected));
    expect(unit).toContain("SystemCallFilter=~@privileged\n");
    expect(unit).toContain("ReadWritePaths=/opt/sonde /var/lib/sonde\n");
  },
);
