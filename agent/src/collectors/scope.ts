import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Roots, readText } from "./roots.ts";

export const scopes = ["host", "container"] as const;
export type Scope = (typeof scopes)[number];

/** Engines of system containers (LXC, nspawn) leave a mark through systemd; of the others Podman leaves a file. */
const marks = ["run/.containerenv", "run/systemd/container"];
/** Engines mount these over an image's own. */
const hostFiles = / \/etc\/(?:hosts|resolv\.conf|hostname) /;

/**
 * Whether this process runs in a container, where /proc shows the host's figures: by the names of control groups, an
 * engine's mark, or files that the engine mounts into an image. `/.dockerenv` alone proves nothing: a virtual machine
 * made from an image has it too.
 */
export function detectScope(roots: Roots): Scope {
  if (marks.some((mark) => existsSync(join(roots.root, "/", mark)))) return "container";
  if (/docker|kubepods|libpod|containerd|lxc/.test(readText(join(roots.proc, "1/cgroup")) ?? "")) return "container";
  const mounts = readText(join(roots.proc, "1/mountinfo")) ?? "";
  const fromImage = / \/ \/ .* - overlay /.test(mounts) || existsSync(join(roots.root, "/.dockerenv"));
  return fromImage && hostFiles.test(mounts) ? "container" : "host";
}
