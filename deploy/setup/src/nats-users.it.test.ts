import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect as connectTo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectBus } from "@sonde/kit/bus/connect";
import { freePort } from "@sonde/embedded/free-port";
import { findNatsServer } from "@sonde/embedded/nats-binary";
import { authorizationFromEnvironment, passwordVariable } from "@sonde/kit/bus/nats-users";
import { silentLog } from "@sonde/kit/service/log";
import { runnerUser } from "@sonde/proto/permissions";
import { type ServiceName, serviceNames } from "@sonde/proto/services";
import { subjects } from "@sonde/proto/subjects";
import { PermissionViolationError } from "@nats-io/nats-core";
import { connect } from "@nats-io/transport-node";
import { afterAll, beforeAll, expect, test } from "vitest";

const location = "eu-1";
const usersFile = authorizationFromEnvironment({
  location,
  variable: `NATS_PASSWORD_PROBE_RUNNER_${location}`,
  withPrevious: true,
});
/** Passwords that nats-server would parse as another type without quotes. */
const hard = ["12345678901234567890", "1e9", "3GB", "true", "07", "-_-", "$HOME", "0x1F", "_a"];
const users = ["admin", ...serviceNames, runnerUser(location)] as const;
const passwordOf = (user: (typeof users)[number]) => `${hard[users.indexOf(user) % hard.length]}`;

let port: number;
let output = "";
const undo: (() => unknown)[] = [];
beforeAll(async () => {
  port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), "sonde-users-"));
  undo.push(() => rm(folder, { recursive: true, force: true }));
  const config = join(folder, "nats.conf");
  await writeFile(
    config,
    `listen: "127.0.0.1:${port}"\njetstream { store_dir: ${JSON.stringify(folder)} }\ninclude users.conf\n`,
  );
  await writeFile(join(folder, "users.conf"), usersFile);
  // In double quotes, as in the chart.
  const passwords = users.map((user) => [
    user === runnerUser(location) ? `NATS_PASSWORD_PROBE_RUNNER_${location}` : passwordVariable(user as ServiceName),
    `"${passwordOf(user)}"`,
  ]);
  const server = spawn(await findNatsServer(), ["-c", config], {
    env: { PATH: process.env.PATH, ...Object.fromEntries(passwords) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  server.stderr.on("data", (part: Buffer) => (output += part.toString()));
  const ended = once(server, "exit");
  undo.unshift(() => (server.kill("SIGKILL"), ended));
  await Promise.race([
    listening(port),
    ended.then(() => {
      throw new Error(output);
    }),
  ]);
});
afterAll(async () => {
  for (const step of undo) await step();
});

async function listening(at: number): Promise<void> {
  for (;;) {
    const socket = connectTo(at, "127.0.0.1");
    const greeted = await Promise.race([
      once(socket, "data").then(([text]) => String(text).includes('"jetstream":true')),
      once(socket, "close").then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (greeted) return;
    await new Promise((done) => setTimeout(done, 50)); // The server does not log when it listens.
  }
}

const urlOf = (user: string, password: string) => `nats://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}`;

test("services that start on an empty bus wait for each other's streams without violations", async () => {
  const connecting = serviceNames
    .toReversed()
    .map((name) => connectBus({ url: urlOf(name, passwordOf(name)), name, log: silentLog, shrink: 64 }));
  const buses = await Promise.all(connecting);
  expect(output).not.toContain("Violation");
  for (const bus of buses) await bus.close();
});

test("each service can connect after the administrator created the streams and buckets", async () => {
  const admin = await connectBus({
    url: urlOf("sonde", passwordOf("admin")),
    name: "sonde",
    log: silentLog,
    shrink: 64,
  });
  for (const name of serviceNames) {
    const bus = await connectBus({ url: urlOf(name, passwordOf(name)), name, log: silentLog, shrink: 64 });
    expect(bus.connected()).toBe(true);
    await bus.close();
  }
  const user = runnerUser(location);
  const runner = await connectBus({ url: urlOf(user, passwordOf(user)), name: "probe-runner", user, log: silentLog });
  expect(runner.connected()).toBe(true);
  await runner.close();
  await admin.close();
});

test("a runner of the previous version keeps working during an upgrade", async () => {
  const nc = await connect({
    servers: `127.0.0.1:${port}`,
    user: "probe-runner",
    pass: passwordOf("probe-runner"),
    inboxPrefix: "_INBOX.probe-runner",
  });
  expect((await nc.request("results.1", "a batch")).json()).toMatchObject({ stream: "RESULTS" });
  const read = await nc.request(
    "$JS.API.STREAM.MSG.GET.KV_monitors",
    JSON.stringify({ last_by_subj: "$KV.monitors.7" }),
  );
  expect(read.json()).toMatchObject({ error: { description: "no message found" } });
  await nc.close();
});

test("a service can neither publish nor subscribe to another service's subjects", async () => {
  const nc = await connect({ servers: `127.0.0.1:${port}`, user: "metrics", pass: passwordOf("metrics") });
  const violations: string[] = [];
  const both = Promise.withResolvers<void>();
  void (async () => {
    for await (const status of nc.status()) {
      if (status.type === "error" && status.error instanceof PermissionViolationError) {
        violations.push(`${status.error.operation} ${status.error.subject}`);
        if (violations.length === 2) both.resolve();
      }
    }
  })();
  nc.publish("results.1");
  nc.subscribe(subjects.allResults, { callback: () => {} });
  await both.promise;
  expect(violations).toEqual(["publish results.1", `subscription ${subjects.allResults}`]);
  await nc.close();
});

test("another user's password or none is rejected", async () => {
  const attempts: [ServiceName, string | undefined][] = [
    ["auth", passwordOf("monitors")],
    ["auth", undefined],
    ["auth", `"${passwordOf("auth")}"`],
  ];
  for (const [user, pass] of attempts) {
    await expect(connect({ servers: `127.0.0.1:${port}`, user, pass, reconnect: false })).rejects.toThrow(
      /authorization violation/i,
    );
  }
});
