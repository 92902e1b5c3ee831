import { Agent, get, type ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { listen } from "./server.ts";

const local = { host: "127.0.0.1", port: 0, variables: { host: "THE_HOST", port: "THE_PORT" } };

test("a port in use is reported in one line with its variable", async () => {
  const first = await listen(() => {}, local);
  const { port } = first.address;
  await expect(listen(() => {}, { ...local, port })).rejects.toThrow(
    `port ${port} on 127.0.0.1 is already in use; stop the program that uses it or set THE_PORT`,
  );
  await first.drain(0);
});

test("an address that this machine lacks is reported in one line", async () => {
  const elsewhere = { ...local, host: "203.0.113.1" };
  await expect(listen(() => {}, elsewhere)).rejects.toThrow("has no address 203.0.113.1; set THE_HOST");
});

test("a server on :: accepts clients of both families", async () => {
  const server = await listen((_request, response) => void response.end("here"), { ...local, host: "::" });
  const ask = async (host: string) => (await fetch(`http://${host}:${server.address.port}/`)).text();

  expect(server.address.address).toBe("::");
  expect([await ask("127.0.0.1"), await ask("[::1]")]).toEqual(["here", "here"]);
  await server.drain(0);
});

test("draining lets current requests finish, accepts no others, and closes the rest after the timeout", async () => {
  const answers: ServerResponse[] = [];
  const asked = Promise.withResolvers<void>();
  const server = await listen((_request, response) => {
    answers.push(response);
    if (answers.length === 2) asked.resolve();
  }, local);
  const url = `http://127.0.0.1:${server.address.port}`;
  const [finished, cut] = [fetch(url), fetch(url)];
  void cut.catch(() => {});
  await asked.promise;
  const drained = server.drain(500);
  await expect(fetch(url)).rejects.toThrow("fetch failed");
  answers[0]!.end("done");
  const left = await Promise.race([finished, cut]);
  expect(await left.text()).toBe("done");
  await drained;
  await expect(Promise.all([finished, cut])).rejects.toThrow("fetch failed");
});

test("a retired server closes each connection after its response, and still accepts new ones", async () => {
  const server = await listen((_request, response) => void response.end("here"), local);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = () =>
    new Promise<{ connection: string | undefined; reused: boolean }>((resolve, reject) => {
      const asked = get({ host: "127.0.0.1", port: server.address.port, agent }, (response) => {
        response.resume().once("end", () => {
          resolve({ connection: response.headers.connection, reused: asked.reusedSocket });
        });
      }).once("error", reject);
    });
  expect((await ask()).connection).toBe("keep-alive");
  server.retire();
  expect(await ask()).toEqual({ connection: "close", reused: true });
  expect(await ask()).toEqual({ connection: "close", reused: false });
  await server.drain(0);
  agent.destroy();
});
