import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import { afterAll, expect, test } from "vitest";
import * as z from "zod";
import { makeCertificate } from "../egress/certificate.testing.ts";
import { common, env, readConfig } from "./config.ts";
import { startService } from "./start.ts";

const folder = mkdtempSync(join(tmpdir(), "sonde-authorities-"));
afterAll(() => rmSync(folder, { recursive: true }));

const notAfter = new Date(Date.now() + 86_400_000);
const authority = { names: ["Test Authority"], ...makeCertificate({ names: ["Test Authority"], notAfter }) };
const served = makeCertificate({ names: ["127.0.0.1"], notAfter, issuer: authority });

function read(content?: string) {
  const path = join(folder, "ca.pem");
  rmSync(path, { force: true });
  if (content !== undefined) writeFileSync(path, content);
  return readConfig(z.object({ ...common, CA_FILE: env.caFile() }), { CA_FILE: path, LOG_LEVEL: "silent" });
}

async function ask(): Promise<number | string> {
  const server = createServer(served, (_request, response) => response.end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const answer = await new Promise<number | string>((resolve) => {
    request({ host: "127.0.0.1", port, agent: false }, (response) => resolve(response.resume().statusCode ?? 0))
      .on("error", (error) => resolve("code" in error ? String(error.code) : error.message))
      .end();
  });
  server.close();
  return answer;
}

test.each([
  ["that does not exist", undefined, "CA_FILE: cannot be read (ENOENT)"],
  ["that is empty", "", "CA_FILE: contains no PEM certificate"],
  ["that contains a key", authority.key, "CA_FILE: contains no PEM certificate"],
  [
    "that is damaged",
    `${authority.cert}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`,
    "CA_FILE: certificate 2 is damaged",
  ],
])("a CA file %s is a configuration error", (_what, content, fault) => {
  expect(() => read(content)).toThrow(fault);
});

test("a service trusts its own CA in addition to the public ones", async () => {
  expect(await ask()).toBe("UNABLE_TO_VERIFY_LEAF_SIGNATURE");
  const config = read(`# ours\n${authority.cert}${rootCertificates[0]}\n`);
  expect(config.CA_FILE).toHaveLength(2);
  const service = await startService({ name: "notifier", config, build: async () => ({}) });
  expect(await ask()).toBe(200);
  await service.stop();
});
