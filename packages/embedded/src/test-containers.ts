import { execFile } from "node:child_process";
import { promisify } from "node:util";

export type TestServers = { natsUrl: string; databaseUrl: string; stop: () => Promise<void> };

const images = { nats: "nats:2.12-alpine", postgres: "postgres:18-alpine" };
/** Removes the containers of a killed run. */
const reaper = "testcontainers/ryuk";

const docker = (...args: string[]): Promise<string | undefined> =>
  promisify(execFile)("docker", args, { timeout: 5_000 }).then(
    ({ stdout }) => stdout,
    () => undefined,
  );

/** True if Docker already has the images: a test run must not download anything. */
export async function hasImages(): Promise<boolean> {
  return (await docker("image", "inspect", ...Object.values(images))) !== undefined;
}

export async function startContainers(): Promise<TestServers> {
  if (!(await docker("image", "ls", "--quiet", reaper))) process.env.TESTCONTAINERS_RYUK_DISABLED ??= "true";
  const { GenericContainer, Wait } = await import("testcontainers");
  const starting = [
    new GenericContainer(images.nats)
      .withCommand(["-js"])
      .withExposedPorts(4222)
      .withWaitStrategy(Wait.forLogMessage("Server is ready"))
      .start(),
    new GenericContainer(images.postgres)
      .withEnvironment({ POSTGRES_USER: "sonde", POSTGRES_PASSWORD: "sonde", POSTGRES_DB: "sonde" })
      .withCommand(["-c", "fsync=off"])
      .withExposedPorts(5432)
      // The image starts the server once for initialisation, then again for use.
      .withWaitStrategy(Wait.forLogMessage("database system is ready to accept connections", 2))
      .start(),
  ] as const;
  const started = await Promise.allSettled(starting);
  const stop = async () => {
    await Promise.all(started.flatMap((one) => (one.status === "fulfilled" ? [one.value.stop()] : [])));
  };
  const [nats, postgres] = started;
  if (nats.status === "rejected" || postgres.status === "rejected") {
    await stop();
    throw nats.status === "rejected" ? nats.reason : (postgres as PromiseRejectedResult).reason;
  }
  return {
    natsUrl: `nats://${nats.value.getHost()}:${nats.value.getMappedPort(4222)}`,
    databaseUrl: `postgresql://sonde:sonde@${postgres.value.getHost()}:${postgres.value.getMappedPort(5432)}/sonde`,
    stop,
  };
}
