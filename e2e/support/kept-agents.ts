import type { AgentDownloadsAnswer } from "@sonde/proto/http/agents/downloads";
import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import type { apiOf } from "@sonde/testing/api";

const own = `${process.platform}-${process.arch}`;

/** Agents that a product built from nothing, kept for products after it: a build takes minutes of a crowded machine. */
export function keptAgents() {
  let folder: string | undefined;
  return {
    /** For `startProduct`: what was kept, else nothing, so that it builds by itself. */
    environment: () => ({ AGENT_DOWNLOAD_DIR: folder ?? "" }),
    /** Keeps what the product of a data directory built. */
    async keep(dataDir: string) {
      if (folder !== undefined) return;
      const home = join(dataDir, "agents");
      const [version] = (await readdir(home, { withFileTypes: true })).filter((entry) => entry.isDirectory());
      const built = join(home, version?.name ?? "");
      const copy = await mkdtemp(join(tmpdir(), "sonde-agents-"));
      // What begins with a dot is what the build fetched: it may be removed while it is copied.
      for (const name of (await readdir(built)).filter((each) => !each.startsWith(".")))
        await cp(join(built, name), join(copy, name));
      folder = copy;
    },
    /** Waits until this machine's agent can be downloaded. */
    async ready(api: ReturnType<typeof apiOf>) {
      const status = async () =>
        (await api.get<AgentDownloadsAnswer>("/api/agents/downloads")).downloads.find(
          ({ platform }) => platform === own,
        )?.status;
      await expect.poll(status, { timeout: 900_000, interval: 1000 }).toBe("ready");
    },
    async remove() {
      if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}
