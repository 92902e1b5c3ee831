import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startNats } from "./nats.ts";
import { startPostgres } from "./postgres.ts";
import { hasImages, startContainers, type TestServers } from "./test-containers.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** Shared by all integration tests: stream and bucket names must be unique. */
    natsUrl: string;
    /** Shared by all integration tests; each uses its own schema or database. */
    databaseUrl: string;
    /** For files shared between test files. Removed after the last test. */
    testFolder: string;
  }
}

/** Starts containers if Docker has their images, otherwise the embedded servers. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "sonde-test-"));
  await chmod(folder, 0o711); // As root, PostgreSQL runs as another user, which must be able to enter.
  const removeFolder = () => rm(folder, { recursive: true, force: true });
  const starting = (await hasImages()) ? startContainers() : startEmbedded(folder);
  const servers = await starting.catch(async (error: unknown) => {
    await removeFolder();
    throw error;
  });
  project.provide("natsUrl", servers.natsUrl);
  project.provide("databaseUrl", servers.databaseUrl);
  project.provide("testFolder", folder);
  return async () => {
    await servers.stop();
    await removeFolder();
  };
}

async function startEmbedded(folder: string): Promise<TestServers> {
  const started = await Promise.allSettled([
    startNats({ dataDir: join(folder, "nats") }),
    startPostgres({ dataDir: join(folder, "postgres"), durable: false }),
  ]);
  const [nats, postgres] = started;
  const stop = async () => {
    for (const server of started) if (server.status === "fulfilled") await server.value.stop();
  };
  if (nats.status === "fulfilled" && postgres.status === "fulfilled") {
    return { natsUrl: nats.value.url, databaseUrl: postgres.value.url, stop };
  }
  await stop();
  throw nats.status === "rejected" ? nats.reason : (postgres as PromiseRejectedResult).reason;
}
