import { type EmbeddedServer, startNats } from "@sonde/embedded/nats";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A nats-server that can stop, or lose its data, keeping its address. */
export async function startWipeableNats() {
  const dataDir = await mkdtemp(join(tmpdir(), "sonde-nats-"));
  let server: EmbeddedServer = await startNats({ dataDir });
  const { url, port } = server;
  return {
    url,
    /** Stops it during `run`; it keeps its data. */
    without: async (run: () => Promise<void>) => {
      await server.stop();
      await run().finally(async () => (server = await startNats({ dataDir, port })));
    },
    wipe: async () => {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
      server = await startNats({ dataDir, port });
    },
    stop: async () => {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export type WipeableNats = Awaited<ReturnType<typeof startWipeableNats>>;
