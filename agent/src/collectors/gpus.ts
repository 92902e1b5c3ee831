import { join } from "node:path";
import { type Roots, listFolder, readNumber, readText } from "./roots.ts";

export interface GpuFigures {
  name: string;
  usage: number;
  memoryUsed?: number;
  memoryTotal?: number;
}

/** Cards whose driver reports their use in /sys, as amdgpu does. NVIDIA's reports it only to its own program. */
export function listGpus(roots: Roots): string[] {
  const folder = join(roots.sys, "class/drm");
  return listFolder(folder)
    .filter((entry) => /^card\d+$/.test(entry))
    .map((card) => join(folder, card, "device"))
    .filter((device) => readNumber(join(device, "gpu_busy_percent")) !== undefined)
    .slice(0, 32);
}

export function readGpus(devices: string[]): GpuFigures[] {
  return devices.flatMap((device) => {
    const usage = readNumber(join(device, "gpu_busy_percent"));
    if (usage === undefined || usage < 0 || usage > 100) return [];
    const pciId = /^PCI_ID=(.+)$/m.exec(readText(join(device, "uevent")) ?? "")?.[1];
    const name = readText(join(device, "product_name"))?.trim() || `GPU ${pciId ?? ""}`.trim();
    const memoryUsed = readNumber(join(device, "mem_info_vram_used"));
    const memoryTotal = readNumber(join(device, "mem_info_vram_total"));
    return [{ name: name.slice(0, 200), usage, memoryUsed, memoryTotal }];
  });
}

/** Whether a card with NVIDIA's own driver is present, for the doctor. */
export const hasNvidia = (roots: Roots) => listFolder(join(roots.proc, "driver/nvidia/gpus")).length > 0;
