import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Pod } from "./objects.ts";
import { processesOf } from "./processes.ts";

const uid = "0c6f5a1e-1111-4222-8333-944455556666";
const pod = { metadata: { uid } } as Pod;

async function fakeProc(processes: Record<number, { cgroup: string; command: string }>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "sonde-proc-"));
  onTestFinished(() => rm(root, { recursive: true }));
  for (const [pid, { cgroup, command }] of Object.entries(processes)) {
    await mkdir(join(root, pid));
    await writeFile(join(root, pid, "cgroup"), cgroup);
    await writeFile(join(root, pid, "cmdline"), `${command}\0`);
  }
  return root;
}

test("a pod's processes are identified by both kinds of cgroup names, without its pause process", async () => {
  const root = await fakeProc({
    10: { cgroup: `0::/kubepods/burstable/pod${uid}/abc`, command: "node" },
    11: {
      cgroup: `12:memory:/kubepods.slice/kubepods-pod${uid.replaceAll("-", "_")}.slice/cri-x.scope`,
      command: "node",
    },
    12: { cgroup: `0::/kubepods/burstable/pod${uid}/def`, command: "/pause" },
    13: { cgroup: "0::/kubepods/burstable/pod99999999-1111-4222-8333-944455556666/abc", command: "node" },
    14: { cgroup: "0::/user.slice", command: "bash" },
  });
  expect(await processesOf(pod, root)).toEqual([10, 11]);
});
