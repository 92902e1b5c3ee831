import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Roots, listFolder, readText } from "./roots.ts";

const containerGroup = /^(?:(?:docker|cri-containerd|crio|libpod)-)?[0-9a-f]{64}(?:\.scope)?$|^lxc\.payload\.(?!.*\/)/;
const engineSockets = [
  "run/docker.sock",
  "run/containerd/containerd.sock",
  "run/crio/crio.sock",
  "run/podman/podman.sock",
];
const maxGroups = 3000;

/** The names of control groups that container engines give: 64 hexadecimal digits, bare or as a systemd scope. */
export const isContainerGroup = (name: string) => containerGroup.test(name);

/**
 * Containers that run on this host, by their control groups: no engine's socket is used, since access to that equals
 * root. Undefined if there is neither a container nor an engine.
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
        // A group without processes is one that its engine has yet to remove.
        if (!/^populated 0$/m.test(readText(join(path, "cgroup.events")) ?? "")) count += 1;
      } else if (depth < 6) walk(path, depth + 1);
    }
  };
  if (top !== undefined) walk(top, 0);
  const engine = engineSockets.some((socket) => existsSync(join(roots.root, "/", socket)));
  return count > 0 || engine ? count : undefined;
}
