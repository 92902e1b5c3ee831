import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { systemdUnit } from "@sonde/proto/http/agents/install";
import { expect, it } from "vitest";
import { root } from "../steps.ts";

/** Lines of a unit that restrict its service. */
const restrictions = (unit: string) =>
  unit
    .split("\n")
    .filter((line) => /^(?:Protect|Private|Restrict|SystemCall|NoNew|Lock|Keyring|Capability|UMask)/.test(line));

/** Hardening of the agent's unit that Sonde cannot use. */
const exceptions = [
  "ProtectHome=read-only", // Stricter: yes.
  "PrivateUsers=yes", // `ping` needs its capability on the machine.
  "CapabilityBoundingSet=",
  "SystemCallFilter=~@privileged @resources", // ClickHouse and the build of an agent set priorities.
];

it.each(["docs/installing.md", "docs/zh-CN/installing.md"])(
  "the unit in %s restricts Sonde as much as its own restricts the agent",
  async (page) => {
    const text = await readFile(join(root, page), "utf8");
    const unit = /<<'EOF'\n(\[Unit\]\nDescription=Sonde\n[\s\S]*?)EOF/.exec(text)![1]!;
    const wanted = restrictions(systemdUnit()).filter(
      (line) => !exceptions.includes(line) && !line.startsWith("RestartP"),
    );
    expect(restrictions(unit)).toEqual(expect.arrayContaining(wanted));
    expect(unit).toContain("SystemCallFilter=~@privileged\n");
    expect(unit).toContain("ReadWritePaths=/opt/sonde /var/lib/sonde\n");
  },
);
