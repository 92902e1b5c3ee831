import { type EmbeddedServer, startNats } from "@sonde/kit/embedded/nats";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A nats-server whose memory can be taken from it: it comes back at the same address, and empty. */
export async function startWipeableNats() {
  const dataDir = await mkdtemp(join(tmpdir(), "sonde-nats-"));
  let server: EmbeddedServer = await startNats({ dataDir });
  const { url, port } = server;
  return {
    url,
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
