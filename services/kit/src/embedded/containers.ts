import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** The servers that integration tests share. */
export type TestServers = { natsUrl: string; databaseUrl: string; stop: () => Promise<void> };

const images = { nats: "nats:2.12-alpine", postgres: "postgres:18-alpine" };

/** Whether a Docker engine answers and holds the images already: a test run fetches nothing. */
export async function hasImages(): Promise<boolean> {
  return promisify(execFile)("docker", ["image", "inspect", ...Object.values(images)], { timeout: 5_000 }).then(
    () => true,
    () => false,
  );
}

/** The same servers as containers. Ports are the engine's choice. */
export async function startContainers(): Promise<TestServers> {
  const { GenericContainer, Wait } = await import("testcontainers");
  const [nats, postgres] = await Promise.all([
    new GenericContainer(images.nats)
      .withCommand(["-js"])
      .withExposedPorts(4222)
      .withWaitStrategy(Wait.forLogMessage("Server is ready"))
      .start(),
    new GenericContainer(images.postgres)
      .withEnvironment({ POSTGRES_USER: "sonde", POSTGRES_PASSWORD: "sonde", POSTGRES_DB: "sonde" })
      .withCommand(["-c", "fsync=off"])
      .withExposedPorts(5432)
      // The image starts once to make its files and then once more for good.
      .withWaitStrategy(Wait.forLogMessage("database system is ready to accept connections", 2))
      .start(),
  ]);
  return {
    natsUrl: `nats://${nats.getHost()}:${nats.getMappedPort(4222)}`,
    databaseUrl: `postgresql://sonde:sonde@${postgres.getHost()}:${postgres.getMappedPort(5432)}/sonde`,
    stop: async () => {
      await Promise.all([nats.stop(), postgres.stop()]);
    },
  };
}
