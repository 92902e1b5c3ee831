import type { EntryOf } from "./collector.ts";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { listFolder, readNumberFile, readText, type Roots } from "./roots.ts";

const containerGroup = /^(?:(?:docker|cri-containerd|crio|libpod)-)?[0-9a-f]{64}(?:\.scope)?$|^lxc\.payload\.(?!.*\/)/;
const engineSockets = [
  "run/docker.sock",
  "run/containerd/containerd.sock",
  "run/crio/crio.sock",
  "run/podman/podman.sock",
];
const maxGroups = 3000;

/** Container engines name cgroups with 64 hexadecimal digits, bare or as a systemd scope. */
export const isContainerGroup = (name: string) => containerGroup.test(name);

/**
 * Counts running containers by their cgroups, not through an engine's socket, because access to that equals root.
 * `undefined` without a container or an engine.
 */
export function countContainers(roots: Roots): number | undefined {
  const base = join(roots.sys, "fs/cgroup");
  const top = existsSync(join(base, "cgroup.controllers"))
    ? base
    : ["memory", "pids", "systemd", "unified"].map((name) => join(base, name)).find((path) => existsSync(path));
  let count = 0;
  let visited = 0;
  const walk = (folder: string, depth: number) => {
    for (const entry of listFolder(folder)) {
      if (entry.includes(".") && !/\.(?:slice|scope|service)$|^lxc\.payload/.test(entry)) continue;
      if (++visited > maxGroups) return;
      const path = join(folder, entry);
      if (isContainerGroup(entry)) {
        // The engine has not removed an empty group yet.
        if (!/^populated 0$/m.test(readText(join(path, "cgroup.events")) ?? "")) count += 1;
      } else if (depth < 6) walk(path, depth + 1);
    }
  };
  if (top !== undefined) walk(top, 0);
  const engine = engineSockets.some((socket) => existsSync(join(roots.root, "/", socket)));
  return count > 0 || engine ? count : undefined;
}

/** GPUs whose driver reports their usage in /sys, like amdgpu. NVIDIA's reports it only to its own program. */
export function listGpus(roots: Roots): string[] {
  const folder = join(roots.sys, "class/drm");
  return listFolder(folder)
    .filter((entry) => /^card\d+$/.test(entry))
    .map((card) => join(folder, card, "device"))
    .filter((device) => readNumberFile(join(device, "gpu_busy_percent")) !== undefined)
    .slice(0, 32);
}

export function readGpus(devices: string[]): EntryOf<"gpus">[] {
  return devices.flatMap((device) => {
    const usage = readNumberFile(join(device, "gpu_busy_percent"));
    if (usage === undefined || usage < 0 || usage > 100) return [];
    const pciId = /^PCI_ID=(.+)$/m.exec(readText(join(device, "uevent")) ?? "")?.[1];
    const name = readText(join(device, "product_name"))?.trim() || `GPU ${pciId ?? ""}`.trim();
    const memoryUsed = readNumberFile(join(device, "mem_info_vram_used"));
    const memoryTotal = readNumberFile(join(device, "mem_info_vram_total"));
    return [{ name: name.slice(0, 200), usage, memoryUsed, memoryTotal }];
  });
}

export const hasNvidia = (roots: Roots) => listFolder(join(roots.proc, "driver/nvidia/gpus")).length > 0;

export interface Sensor {
  name: string;
  path: string;
}

/** Drivers without a sensor report absurd values. */
export function celsius(millidegrees: number | undefined): number | undefined {
  if (millidegrees === undefined || millidegrees < -100_000 || millidegrees > 200_000) return undefined;
  return millidegrees / 1000;
}

/** Sensors of hwmon, named by chip and label; thermal zones only if hwmon has none. */
export function listSensors(roots: Roots): Sensor[] {
  const folder = join(roots.sys, "class/hwmon");
  const sensors = listFolder(folder).flatMap((chip) => {
    const inputs = listFolder(join(folder, chip)).filter((entry) => /^temp\d+_input$/.test(entry));
    const chipName = readText(join(folder, chip, "name"))?.trim() || chip;
    return inputs.map((input) => {
      const label = readText(join(folder, chip, input.replace("_input", "_label")))?.trim();
      return { name: `${chipName} ${label || input.replace("_input", "")}`, path: join(folder, chip, input) };
    });
  });
  const zones = join(roots.sys, "class/thermal");
  const found =
    sensors.length > 0
      ? sensors
      : listFolder(zones)
          .filter((zone) => zone.startsWith("thermal_zone"))
          .map((zone) => ({
            name: readText(join(zones, zone, "type"))?.trim() || zone,
            path: join(zones, zone, "temp"),
          }));
  return found.slice(0, 100).map((sensor) => ({ ...sensor, name: sensor.name.slice(0, 100) }));
}

export function readTemperatures(sensors: Sensor[]): EntryOf<"temperatures">[] {
  return sensors.flatMap(({ name, path }) => {
    const figure = celsius(readNumberFile(path));
    return figure === undefined ? [] : [{ sensor: name, celsius: figure }];
  });
}
