import { readFile } from "node:fs/promises";

/** What a process holds in memory, now and at most so far, in MiB, by the kernel's word. Linux alone. */
export async function memoryOf(pid: number): Promise<{ nowMib: number; mostMib: number }> {
  const text = await readFile(`/proc/${pid}/status`, "utf8");
  const mib = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1]) / 1024;
  return { nowMib: mib("VmRSS"), mostMib: mib("VmHWM") };
}
