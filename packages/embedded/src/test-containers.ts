import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** The servers that integration tests share. */
export type TestServers = { natsUrl: string; databaseUrl: string; stop: () => Promise<void> };

const images = { nats: "nats:2.12-alpine", postgres: "postgres:18-alpine" };
/** What testcontainers starts beside them, so that containers of a killed run go too. */
const reaper = "testcontainers/ryuk";

/** The Docker engine's output, or undefined if none answers or it refuses. */
const docker = (...args: string[]): Promise<string | undefined> =>
  promisify(execFile)("docker", args, { timeout: 5_000 }).then(
    ({ stdout }) => stdout,
    () => undefined,
  );

/** Whether a Docker engine answers and holds the images already: a test run fetches nothing. */
export async function hasImages(): Promise<boolean> {
  return (await docker("image", "inspect", ...Object.values(images))) !== undefined;
}

/** The same servers as containers. Ports are the engine's choice. */
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
      // The image starts once to make its files and then once more for good.
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
