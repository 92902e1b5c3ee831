import { agentInstall } from "@sonde/proto/http/agents/install";
import { ensureSigningKey, writeSums } from "@sonde/agent/build/sums";
import { execFile } from "node:child_process";
import { createPublicKey } from "node:crypto";
import { once } from "node:events";
import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sharedMachine, type Machine } from "../support/fresh-machine.ts";

// Downloads may be served from storage that others can write to. These tests run the guide's download step against it.
const archive = `sonde-agent-${process.platform}-${process.arch}.tar.xz`;
let machine: Machine;
let folder: string;
let server: Server;

beforeEach(async () => {
  machine = await sharedMachine();
  folder = await mkdtemp(join(tmpdir(), "sonde-storage-"));
  await pack("the agent");
  await writeSums(folder, await ensureSigningKey(join(folder, "keys/own.pem")));
  server = createServer((request, response) => {
    void readFile(join(folder, request.url ?? "")).then(
      (content) => response.end(content),
      () => response.writeHead(404).end(),
    );
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(async () => {
  server.close();
  await machine.remove();
  await rm(folder, { recursive: true, force: true });
});

async function pack(content: string): Promise<void> {
  await writeFile(join(folder, "sonde-agent"), content);
  await promisify(execFile)("tar", ["-cJf", join(folder, archive), "-C", folder, "sonde-agent"]);
}

/** Runs the guide's download step, with the signing key that Sonde shows. */
async function download(path?: string): Promise<{ code: unknown; output: string }> {
  const key = createPublicKey(await readFile(join(folder, "keys/own.pem")));
  const { linux } = agentInstall({
    origin: "https://sonde.example.com",
    token: "unused",
    intervalSeconds: 10,
    downloadUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    downloadKey: key.export({ type: "spki", format: "der" }).toString("base64"),
  });
  const session = machine.start(linux.slice(0, linux.indexOf("# 2.")), path);
  return { code: await session.ended, output: session.output() };
}

test("an archive that Sonde signed is unpacked", async () => {
  expect((await download()).code).toBe(0);
  expect(await machine.run("cat sonde-agent")).toBe("the agent");
});

test("a modified archive is rejected", async () => {
  await pack("something else");
  expect((await download()).code).not.toBe(0);
  await expect(machine.run("cat sonde-agent")).rejects.toThrow("No such file");
});

test("a modified archive with matching sums signed by another key is rejected", async () => {
  await pack("something else");
  await writeSums(folder, await ensureSigningKey(join(folder, "keys/another.pem")));
  const { code, output } = await download();
  expect(code).not.toBe(0);
  expect(output).toMatch(/Verification failure/i);
  await expect(machine.run("cat sonde-agent")).rejects.toThrow("No such file");
});

test("sums that were extended after signing are rejected", async () => {
  await appendFile(join(folder, "SHA256SUMS"), `${"0".repeat(64)}  other\n`);
  expect((await download()).code).not.toBe(0);
});

test("without curl, xz and openssl the commands say how to install them", async () => {
  // The tools of a minimal Debian installation.
  const tools = "bin && for tool in sh cat uname sed grep tar sha256sum; do ln -s $(command -v $tool) bin/; done";
  const { code, output } = await download((await machine.run(`mkdir ${tools} && echo $PWD/bin`)).trim());
  expect(code).not.toBe(0);
  expect(output.trim()).toMatch(/^curl, xz and openssl are needed\. .*apt-get install curl xz-utils openssl/);
  await expect(machine.run("ls sonde-agent*")).rejects.toThrow();
});
